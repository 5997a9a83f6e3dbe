# The shop, its remote and the reviewer, in the home folder of the week. Run with `sh -e`.
mkdir -p .claude/projects/shop .pi/agent/sessions/shop shop/src shop/gen
cd shop
git init -q -b main
echo '# Shop' > AGENTS.md
echo '# For Claude Code' > CLAUDE.md
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
