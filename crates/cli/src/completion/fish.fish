# Completes PROGRAM in fish. Load it by:  PROGRAM PRINTED_BY fish | source
function __PROGRAM_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] --complete-words fish (count $words) $words "$current" 2>/dev/null)
        if test "$line" = :files
            __fish_complete_path $current
        else
            echo $line
        end
    end
end
complete -c PROGRAM -f -a '(__PROGRAM_complete)'
