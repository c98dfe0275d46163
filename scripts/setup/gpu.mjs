import { createRequire } from 'node:module';
import { paths } from './paths.mjs';

/** Asks the addon, which opens the driver as programs will. @returns {string | undefined} why nothing can run on a GPU here */
export function whyNoGpu() {
  const addon = createRequire(import.meta.url)(paths.addon);
  try {
    return addon.devices('cuda').length === 0 ? 'the driver has no device' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
