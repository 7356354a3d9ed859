import { readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { runChild } from './child.ts'
import { type Figure, percent, printFigures } from './figures.ts'
import type { Governed } from './governor.ts'
import { measureLoad, measureMemory } from './load-figures.ts'

const USAGE = `npm run bench -- [options]
  --only load|memory|governor   one part only
  --rows N                      session reports of the load (300000) or the memory part (1000000)
  --quick                       a tenth of the rows and shorter drives: for trying the bench itself
  --profile DIRECTORY           CPU profiles of the engine, one folder a step
  --node="--FLAG ..."           what the engine's process is started with, instead of its usual flags`

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    rows: { type: 'string' },
    quick: { type: 'boolean', default: false },
    profile: { type: 'string' },
    node: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const scale = values.quick ? 0.1 : 1
const rowsOr = (standard: number): number => Number(values.rows ?? standard * scale)
const engine = {
  profileDirectory: values.profile,
  nodeFlags: values.node === undefined ? usualFlags() : flagsIn(values.node),
}

const parts: Record<string, () => Promise<Figure[]>> = {
  load: () => measureLoad({ rows: rowsOr(300_000), ...engine }),
  memory: () => measureMemory({ rows: rowsOr(1_000_000), ...engine }),
  governor: measureGovernor,
}

/** The heap's limits decide what memory it takes, so the engine gets the ones that the command gets. */
function usualFlags(): string[] {
  const { scripts } = JSON.parse(
    readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
  ) as { scripts: { callsheet: string } }
  return flagsIn(scripts.callsheet)
}

function flagsIn(command: string): string[] {
  return command.split(' ').filter((word) => word.startsWith('--'))
}

async function measureGovernor(): Promise<Figure[]> {
  const governed = await runChild<object, Governed[]>('governor.ts', {
    seconds: values.quick ? 5 : 20,
  })
  return governed.map(({ quota, kind, perSecond, used, refused }) => {
    const [leastUsed, mostRefused] = quota === 'known' ? [0.97, 0] : [0.85, 0.01]
    return {
      what: `${quota === 'known' ? 'known quota' : 'learned quota'}, ${perSecond}/s by ${kind}`,
      measured: `${percent(used)} used`,
      beside: `${percent(refused)} answered 429`,
      target: `>= ${percent(leastUsed)}, ${quota === 'known' ? 'no 429' : 'under 1 % 429'}`,
      met: used >= leastUsed && (refused === 0 || refused < mostRefused),
    }
  })
}

async function main(): Promise<void> {
  const chosen = values.only === undefined ? Object.keys(parts) : [values.only]
  if (values.help || chosen.some((name) => parts[name] === undefined)) {
    console.log(USAGE)
    process.exitCode = values.help ? 0 : 2
    return
  }
  console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`)
  console.log(`engine's heap: ${engine.nodeFlags.join(' ') || 'no limits set'}`)
  const figures: Figure[] = []
  for (const name of chosen) figures.push(...((await parts[name]?.()) ?? []))
  printFigures(figures)
  if (figures.some(({ met }) => !met)) process.exitCode = 1
}

await main()
