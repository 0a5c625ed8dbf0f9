const started = performance.now();

/**
 * Says what the set-up is doing. On standard error, so that the output of the command that follows stays its own.
 *
 * @param {string} text
 */
export function say(text) {
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stderr.write(`[set-up ${seconds} s] ${text}\n`);
}
