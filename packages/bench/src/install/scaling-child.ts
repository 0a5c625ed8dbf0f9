import { once } from "node:events";

import { openInstallParts } from "./parts.ts";

// One process of the scaling bench: opens the parts, says that it is ready, waits for the start, installs, and prints how long
// each install took in milliseconds.
const [folder = "", name = "", installs = "0"] = process.argv.slice(2);
{
  await using parts = await openInstallParts(folder);
  process.stdout.write("ready\n");
  await once(process.stdin, "data");
  process.stdin.destroy();
  const times: number[] = [];
  for (let index = 0; index < Number(installs); index += 1) {
    const start = performance.now();
    await parts.install(`${name}-${index}`);
    times.push(performance.now() - start);
  }
  process.stdout.write(`${JSON.stringify(times)}\n`);
}
