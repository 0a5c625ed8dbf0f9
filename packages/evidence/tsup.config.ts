import { command, library } from "../../tools/build/tsup.ts";

export default [library({ index: "src/index.ts" }), command({ cli: "src/cli.ts" })];
