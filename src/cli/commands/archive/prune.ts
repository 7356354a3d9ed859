import type { Command } from 'commander'
import type { PruneOptions } from '../../archive/prune-archive.ts'
import { defineCommand, type Runner } from '../../frame/command.ts'

export function archivePruneCommand(run: Runner): Command {
  return defineCommand('prune', 'Remove stored files that the rules of archive.retention let go', [
    'archive prune --dry-run',
    'archive prune --yes --account main',
  ])
    .option('-a, --account <name>', 'only this account; without it all of the configuration')
    .option('--dry-run', 'say what would go, why, and what is held; change nothing')
    .option('--yes', 'do it: what is removed cannot be fetched again')
    .action((options: PruneOptions) =>
      run(options, async (context) => {
        const { pruneArchives } = await import('../../archive/prune-archive.ts')
        return await pruneArchives(context, options)
      }),
    )
}
