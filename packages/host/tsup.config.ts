import { rm } from "node:fs/promises";
import { defineConfig } from "tsup";
import { command, library } from "../../tools/build/tsup.ts";

// Both builds write into one folder, so it is emptied once before either starts.
export default defineConfig(async () => {
  await rm("dist", { recursive: true, force: true });
  return [
    library({ index: "src/index.ts" }, { clean: false }),
    command({ cli: "src/cli.ts", "interrupted-install": "src/interrupted-install.ts" }),
  ];
});
