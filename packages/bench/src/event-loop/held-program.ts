/**
 * Decodes while the loop is watched from inside, and prints the longest stretches that it was held. Arguments: a folder to write in,
 * `--smoke`.
 */
import { BLOCKS } from "../harness/blocks.ts";
import { openDecoding } from "./decoding.ts";
import { programArguments } from "./program.ts";
import { type LoopBusy, loopBusyDuring } from "./watch.ts";

const BLOCK_MS = 1_000;
const BLOCK_MS_SMOKE = 200;

const { folder, smoke } = programArguments();
{
  await using decoding = await openDecoding(folder);
  await decoding.run(smoke ? BLOCK_MS_SMOKE : BLOCK_MS);
  const blocks: LoopBusy[] = [];
  for (let block = 0; block < (smoke ? 1 : BLOCKS); block += 1) {
    blocks.push(await loopBusyDuring(() => decoding.run(smoke ? BLOCK_MS_SMOKE : BLOCK_MS)));
  }
  console.log(JSON.stringify(blocks));
}
