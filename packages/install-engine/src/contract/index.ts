export { journalContract } from "./journal-contract.ts";
export type { JournalContractOptions } from "./rig.ts";
export {
  claimRequest,
  decided,
  outcomeRequest,
  plain,
  SCRIPT_BINDING,
  SCRIPT_TIME,
  settleRequest,
  StreamScript,
  withGuard,
} from "./stream-script.ts";
