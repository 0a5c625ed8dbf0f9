import { library } from "../../tools/build/tsup.ts";

export default library({
  index: "src/index.ts",
  "simulated-disk/index": "src/simulated-disk/index.ts",
});
