#compdef deskbell
# Completion for zsh. In ~/.zshrc, after compinit: source <(deskbell completion zsh)
_deskbell() {
  local value about
  local -a found
  while IFS=$'\t' read -r value about; do
    found+=("${value//:/\\:}:$about")
  done < <("${words[1]}" __complete -- "${(@)words[2,CURRENT-1]}" "$PREFIX" 2>/dev/null)
  if (( $#found )); then _describe deskbell found; else _files; fi
}
if [[ ${funcstack[1]} == _deskbell ]]; then _deskbell "$@"; else compdef _deskbell deskbell; fi
