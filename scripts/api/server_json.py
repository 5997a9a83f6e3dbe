"""Checks server.json, which tells registries of MCP servers about this one, against its schema and the workspace's version."""
import importlib.resources, json, tomllib

import jsonschema

from tools import ROOT

# The package carries each schema that the registry released, as it was released.
SCHEMAS = "skillsaw.schemas.mcp_registry"


def main():
    described = json.loads((ROOT / "server.json").read_text())
    released = described["$schema"].rsplit("/", 2)[1].replace("-", "_")
    schema = importlib.resources.files(f"{SCHEMAS}.v{released}").joinpath("server.schema.json").read_text()
    jsonschema.Draft7Validator(json.loads(schema), format_checker=jsonschema.FormatChecker()).validate(described)
    version = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]["version"]
    assert described["version"] == version, f"server.json is of {described['version']}, the workspace of {version}"
    print(f"{ROOT / 'server.json'}: OK")


if __name__ == "__main__":
    main()
