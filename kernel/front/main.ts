/** Entry point of the kernel: `node main.js FILE`, with a connection or registration file, as the kernelspec starts it. */

import { useCodeCache } from '../protocol/code-cache.ts';
import { ExecutorProcess } from './executor/executor-process.ts';

// Before the rest is loaded, which then happens beside its start. It exits with this process.
const executor = new ExecutorProcess();
useCodeCache();
const { serve } = await import('./serve.ts');
await serve(process.argv[2], executor);
