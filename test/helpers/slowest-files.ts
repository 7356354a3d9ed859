import { relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

/** Prints the slowest files after all have run. */
export class SlowestFiles implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    if (modules.length <= MOST) return
    const timed = modules.map((one) => ({
      seconds: one.diagnostic().duration / 1000,
      file: relative(one.project.config.root, one.moduleId),
    }))
    timed.sort((a, b) => b.seconds - a.seconds)
    const sum = timed.reduce((all, { seconds }) => all + seconds, 0)
    const lines = timed
      .slice(0, MOST)
      .map(({ seconds, file }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`)
    const head = `The slowest of ${timed.length} files, which took ${sum.toFixed(0)} s in all:`
    process.stdout.write(`\n${[head, ...lines].join('\n')}\n\n`)
  }
}

const MOST = 10
