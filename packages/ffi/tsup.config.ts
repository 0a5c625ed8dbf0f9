import { library } from "../../tools/build/tsup.ts";

export default library({
  index: "src/index.ts",
  loader: "src/loader.ts",
  "runtime/index": "src/runtime/index.ts",
  "fs/index": "src/fs/index.ts",
});
