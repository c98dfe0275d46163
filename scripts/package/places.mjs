import { join } from 'node:path';

/** Returns the folder of what would be published. @param {string} folder */
export const packagesIn = folder => join(folder, 'packages');
/** Returns the folder with the contents of the packages, before they are packed. @param {string} folder */
export const stagingIn = folder => join(folder, 'staging');
