import { join } from 'node:path';
import { paths } from '../setup/paths.mjs';

/** What would be published. */
export const packagesFolder = join(paths.build, 'packages');
/** The contents of the packages, before they are packed. */
export const stagingFolder = join(paths.build, 'staging');
