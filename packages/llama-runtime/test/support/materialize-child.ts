// Run by materialize.test.ts in a process of its own: materialises a bundle, and dies by SIGKILL after so many files.
import { materializeBundle } from "../../src/bundle/materialize.ts";

const [bundleDirectory = "", cacheDirectory = "", dieAfter = "", umask = ""] = process.argv.slice(2);
if (umask !== "") process.umask(Number.parseInt(umask, 8));

const bundle = await materializeBundle({
  cacheDirectory,
  bundleDirectory,
  onProgress: ({ filesDone }) => {
    if (String(filesDone) === dieAfter) process.kill(process.pid, "SIGKILL");
  },
});
process.stdout.write(bundle.directory);
