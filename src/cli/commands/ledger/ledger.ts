import type { Command } from 'commander'
import { defineCommand, type Runner } from '../../frame/command.ts'
import { ledgerPruneCommand } from './prune.ts'

export function ledgerCommand(run: Runner): Command {
  return defineCommand('ledger', 'Keep the ledgers, which grow with each night, small', [
    'ledger prune --dry-run',
    'ledger prune --yes',
  ])
    .enablePositionalOptions()
    .addCommand(ledgerPruneCommand(run))
}
