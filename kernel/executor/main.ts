/** Entry point of the process in which cells run. */

import { useCodeCache } from '../protocol/code-cache.ts';

useCodeCache();
await import('./program.ts');
