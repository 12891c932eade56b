# Completes PROGRAM in bash. Load it by:  eval "$(PROGRAM PRINTED_BY bash)"
_PROGRAM() {
    local line word words=()
    COMPREPLY=()
    # The words as they are typed: quotes and backslashes are taken off.
    for word in "${COMP_WORDS[@]}"; do
        words+=("${word//[\"\'\\]/}")
    done
    while IFS= read -r line; do
        if [[ $line == :files ]]; then
            compopt -o default 2>/dev/null
            continue
        fi
        line=${line%%$'\t'*}
        [[ $line == *[=/,] ]] && compopt -o nospace 2>/dev/null
        printf -v word %q "$line"
        # Between quotes that are open, this form would be run.
        [[ $word == *"\$'"* ]] && continue
        COMPREPLY+=("${word//\\,/,}")
    done < <("${words[0]}" --complete-words bash "$COMP_CWORD" "${words[@]}" 2>/dev/null)
}
complete -F _PROGRAM PROGRAM
