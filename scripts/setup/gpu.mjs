import { createRequire } from 'node:module';
import { paths } from './paths.mjs';

/** Checks for a GPU with the addon, which opens the driver as programs do. @returns {string | undefined} why no GPU can be used */
export function whyNoGpu() {
  const addon = createRequire(import.meta.url)(paths.addon);
  try {
    return addon.devices('cuda').length === 0 ? 'the driver reports no device' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
