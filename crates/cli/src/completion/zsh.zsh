#compdef PROGRAM
# Completes PROGRAM in zsh. Load it by:  eval "$(PROGRAM PRINTED_BY zsh)"
_PROGRAM() {
    local line tab=$'\t'
    local -a lines open shut open_shown shut_shown
    lines=("${(@f)$("${(Q)words[1]}" --complete-words zsh $((CURRENT - 1)) "${(@Q)words}" 2>/dev/null)}")
    for line in $lines; do
        case ${line%%$tab*} in
            :files) _files; return ;;
            *[=/,]) open+=("${line%%$tab*}") open_shown+=("${line/$tab/  -- }") ;;
            *) shut+=("${line%%$tab*}") shut_shown+=("${line/$tab/  -- }") ;;
        esac
    done
    (( $#open )) && compadd -S '' -d open_shown -- $open
    (( $#shut )) && compadd -d shut_shown -- $shut
}
if [[ ${funcstack[1]} == _PROGRAM ]]; then
    _PROGRAM "$@"
else
    compdef _PROGRAM PROGRAM
fi
