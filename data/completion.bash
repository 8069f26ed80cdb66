# Completion for bash. In ~/.bashrc: source <(deskbell completion bash)
_deskbell() {
  local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]} whole value
  local -a words
  read -ra words <<<"$line"
  [[ $line == *[[:space:]] ]] && words+=("")
  # Bash splits words at = and :, and replaces only the part after them.
  whole=${words[${#words[@]} - 1]}
  [[ $current == [=:] ]] && current=
  COMPREPLY=()
  while IFS=$'\t' read -r value _; do
    COMPREPLY+=("${value#"${whole%"$current"}"}")
  done < <("${words[0]}" __complete -- "${words[@]:1}" 2>/dev/null)
}
complete -o default -F _deskbell deskbell
