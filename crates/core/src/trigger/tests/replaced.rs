//! Rules that name what is replaced beside what takes its place, in any order.

use super::*;

#[test]
fn what_is_replaced_is_told_from_what_takes_its_place() {
    check_lines(&[
        (
            "Bitte npm install nicht verwenden, sondern pnpm install.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "Utiliser pnpm install à la place de npm install.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "Remember: npm test needs node 20.",
            &["npm test"],
            &["yarn test"],
        ),
        (
            "Instead of `yarn build` use `turbo build`.",
            &["yarn build"],
            &["turbo build"],
        ),
        (
            "Вместо `npm install` используйте `pnpm install`.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "Statt `npm install` bitte `pnpm install`.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "We moved from `yarn build` to `turbo build`.",
            &["yarn build"],
            &["turbo build"],
        ),
        (
            "turbo build replaces yarn build",
            &["yarn build"],
            &["turbo build"],
        ),
        (
            "`npm test` takes 20 minutes, `npm test -- --changed` is enough",
            &["npm test"],
            &["npm test -- --changed"],
        ),
        (
            "Instead of `rails db:reset` run `bin/rails db:seed:replant`.",
            &["rails db:reset"],
            &["bin/rails db:seed:replant"],
        ),
        (
            "We manage dependencies with `uv add`, `pip install` is forbidden.",
            &["pip install x"],
            &["uv add x"],
        ),
        (
            "Build with `make image`, `docker build` is forbidden.",
            &["docker build ."],
            &["make image"],
        ),
        (
            "Type `pnpm dev`, `npm start` no longer works.",
            &["npm start"],
            &["pnpm dev", "yarn start"],
        ),
        (
            "Prefer `pnpm install` over `npm install`.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "We switched from `npm` to `pnpm`.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "`yarn build` was replaced by `turbo build`.",
            &["yarn build"],
            &["turbo build"],
        ),
        (
            "`turbo build` ersetzt `yarn build`.",
            &["yarn build"],
            &["turbo build"],
        ),
        (
            "Em vez de `npm install` use `pnpm install`.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "Au lieu de `npm install` utiliser `pnpm install`.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "Bitte `npm install` nie ausführen, immer `pnpm install`.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "Never `npm install` use `pnpm install`.",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "Don't run `npm install` or run `yarn add`.",
            &["npm install", "yarn add x"],
            &[],
        ),
        (
            "Always: `make fmt` before a commit.",
            &["git commit -m x"],
            &["make fmt && git commit -m x"],
        ),
        (
            "Never `npm ci`, `npm install` is fine.",
            &["npm ci"],
            &["npm install"],
        ),
        (
            "Use `npm ci`, `npm install` breaks the lockfile.",
            &["npm install"],
            &["npm ci"],
        ),
        (
            "Use pnpm add, npm install is banned.",
            &["npm install x"],
            &["pnpm add x"],
        ),
        (
            "请用 `pnpm install` 代替 `npm install`。",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "`npm install` は使わず `pnpm install` を使ってください。",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "`pnpm dev` statt `npm start`",
            &["npm start"],
            &["pnpm dev"],
        ),
        (
            "`npm install` 쓰지 말고 `pnpm install` 쓰세요",
            &["npm install"],
            &["pnpm install"],
        ),
        (
            "`npm install` を使わないで `pnpm install` を使う",
            &["npm install"],
            &["pnpm install"],
        ),
    ]);
}
