import { library } from "../../tools/build/tsup.ts";

export default library({
  index: "src/index.ts",
  "sqlite/index": "src/sqlite/index.ts",
  "contract/index": "src/contract/index.ts",
});
