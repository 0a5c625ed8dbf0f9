// Loaded before another program: notes which functions of the addon answer it, and prints the names of the others at the end.

import { createRequire } from "node:module";
import { locateAddon } from "@mesh/ffi";

const addon = createRequire(import.meta.url)(locateAddon().path);
const unanswered = new Set();
for (const [faceName, face] of Object.entries(addon)) {
  for (const [name, entry] of Object.entries(face)) {
    unanswered.add(`${faceName}.${name}`);
    face[name] = (...parameters) => {
      const answer = entry(...parameters);
      // One that throws has refused its arguments and done nothing.
      unanswered.delete(`${faceName}.${name}`);
      return answer;
    };
  }
}
// The last of the listeners: the package itself calls the addon when the process exits.
process.once("beforeExit", () => {
  process.on("exit", () => {
    console.log(`unanswered ${JSON.stringify([...unanswered])}`);
  });
});
