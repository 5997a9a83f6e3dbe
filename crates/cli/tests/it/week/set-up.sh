# The shop, its remote, the recorded sessions and what a hook is sent, in the home folder of the week. Run with `sh -e`
# in the shop, which is empty.
mkdir -p ~/.claude/projects/shop ~/.pi/agent/sessions/shop ~/recorded ~/tmp src gen
for session in ~/*.jsonl; do
  sed "s#/home/dev/shop#$HOME/shop#g" "$session" > ~/recorded/"${session##*/}"
  rm "$session"
done
for number in 5 6 7; do
  cat > ~/session-$number.json <<EOF
{"hook_event_name": "SessionStart", "source": "startup", "cwd": "$HOME/shop",
 "session_id": "00000001-0000-4000-8000-00000000000$number",
 "transcript_path": "$HOME/.claude/projects/shop/$number.jsonl"}
EOF
done
git config --global user.name Dev
git config --global user.email dev@example.com
git init -q -b main
echo '# Shop' > AGENTS.md
printf '# For Claude Code\n\n@AGENTS.md\n' > CLAUDE.md
echo '{"scripts":{"test:unit":"sh test.sh"}}' > package.json
printf 'gen:\n\tsh gen.sh\n' > Makefile
echo 'echo generated' > gen.sh
echo 'grep -q "100 - percent" src/cart.js' > test.sh
echo 'exports.total = price => price;' > src/cart.js
for name in routes types prices; do
  echo "$name" > $name.def
  echo "// generated from $name.def" > gen/$name.js
done
git add -A
git commit -q -m 'The shop'
git init -q --bare ../remote.git
git remote add origin "$HOME/remote.git"
git push -q origin main
hardwon config set autonomy local
hardwon config set holdout off
hardwon config set sweep_min_hours 0
hardwon config set review_command 'sh ~/reviewer.sh'
