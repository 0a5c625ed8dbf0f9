import { library } from "../../tools/build/tsup.ts";

export default library({
  index: "src/index.ts",
  "driver/index": "src/driver/index.ts",
  worker: "src/worker/server.ts",
});
