/** Checked before anything else is loaded: an older Node would stop at a syntax error instead of this line. */
const NODE_MAJOR_MIN = 18;

const major = Number(process.versions.node.split(".", 1)[0]);
if (major < NODE_MAJOR_MIN) {
  console.error(
    `set-up failed: this is Node ${process.versions.node}; any Node from ${NODE_MAJOR_MIN} on can run the set-up`,
  );
  process.exit(1);
}

const { main } = await import("./run.mjs");
const { SetUpError } = await import("./error.mjs");
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof SetUpError) {
    console.error(`set-up failed: ${error.message}`);
    process.exitCode = error.exitCode;
  } else {
    console.error(error);
    process.exitCode = 1;
  }
}
