/** Capabilities of the debugger, as `initialize` returns them. */

import type { DebugProtocol } from '@vscode/debugprotocol';

export const CAPABILITIES: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsConditionalBreakpoints: true,
  supportsHitConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsEvaluateForHovers: true,
  supportsSetVariable: true,
  supportsModulesRequest: true,
  supportsExceptionInfoRequest: true,
  supportsTerminateRequest: true,
  exceptionBreakpointFilters: [
    {
      filter: 'uncaught',
      label: 'Uncaught exceptions',
      description: 'Stops at exceptions that no code of the notebook catches'
    },
    {
      filter: 'all',
      label: 'All exceptions',
      description: 'Stops at all exceptions, including those that are caught'
    }
  ]
};

export function exceptionFilter(filters: unknown): 'none' | 'uncaught' | 'all' {
  if (!Array.isArray(filters)) return 'none';
  if (filters.includes('all')) return 'all';
  return filters.includes('uncaught') ? 'uncaught' : 'none';
}
