export { HostError, type HostErrorCode, type HostErrorFacts } from "./error.ts";
export {
  type KindCount,
  openModel,
  type OpenedModel,
  type OpenModelOptions,
  type SeenOpen,
} from "./runtime/open-model.ts";
export { type HostRuntime, type HostRuntimeOptions, openHostRuntime } from "./runtime/open-runtime.ts";
export {
  type ConsentChoice,
  type InstallSkillOptions,
  type InstallStage,
  installSkill,
  type SkillInstall,
} from "./skills/install-skill.ts";
export { type InstalledSkill, installedSkills } from "./skills/installed-skills.ts";
export { readSkillFile, type SkillFile } from "./skills/skill-file.ts";
export { composeSkillHost, SKILL_INSTALLER_ID, type SkillHost, type SkillHostOptions } from "./skills/skill-host.ts";
export { defaultStateDirectory, openStateDirectory, type StateDirectory } from "./state-directory.ts";
