export { fileBodySource, memoryBodySource, type SkillBodySource } from "./body-source.ts";
export { createSkillCasDriverFactory, type SkillCasDriverFactory, type SkillCasDriverOptions } from "./factory.ts";
