import { readdirSync } from "node:fs";
import { openSkillStore } from "@mesh/skill-cas";
import { BenchError } from "../harness/error.ts";

/** Shows that both sides did the same work: as many files of each kind, and every object exact to the store. */
export async function requireSameFiles(ours: string, peer: string): Promise<void> {
  const [oursLeft, peerLeft] = [await left(ours), await left(peer)];
  if (JSON.stringify(oursLeft) === JSON.stringify(peerLeft)) return;
  throw new BenchError({
    code: "PEER_FAILED",
    message: `the sides left other files: ours ${JSON.stringify(oursLeft)}, the peer ${JSON.stringify(peerLeft)}`,
  });
}

interface Left {
  readonly exact: number;
  readonly locks: number;
  readonly stages: number;
}

async function left(root: string): Promise<Left> {
  await using store = await openSkillStore({ root });
  let exact = 0;
  for await (const finding of store.verify()) if (finding.state === "exact") exact += 1;
  const names = readdirSync(root);
  const locks = names.filter((name) => name.endsWith(".lock")).length;
  return { exact, locks, stages: names.filter((name) => name.endsWith(".pending")).length };
}
