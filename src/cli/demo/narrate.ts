import type { Sizes } from '../../../sandbox/seed-data/options.ts'
import { utcDay } from '../../core/time/time.ts'
import { bytesText, count, duration } from '../../core/values/quantities.ts'
import { asOneWord, calledAs } from '../frame/called-as.ts'
import { fromHere, keptLines } from '../frame/kept-lines.ts'
import type { Output } from '../frame/output.ts'
import { printRuns } from '../frame/run-summary.ts'
import type { ChangedRow } from './changed-rows.ts'
import type { NightFiles, SyncedNight } from './options.ts'
import { foundLines } from './print-sync.ts'
import type { DemoState } from './state.ts'

export type Narrator = ReturnType<typeof narrate>

/** Describes each step of the demo before it runs, and its result afterwards. */
export function narrate({ line, table, ...output }: Output) {
  let steps = 0
  const step = (...[title = '', ...more]: string[]): void => {
    steps++
    line(`${steps === 1 ? '' : '\n'}${steps}. ${title}`)
    for (const text of more) line(`   ${text}`)
  }
  return {
    company({ users, numbers, sessions, recordings }: Sizes, { nowMs, beforeMs }: DemoState): void {
      const night = `Its time is ${utcDay(nowMs)} 02:30 UTC`
      const others = `${count(sessions)} video sessions, ${count(recordings)} recordings`
      step(
        `Start the simulated company: ${count(users)} users, ${count(numbers)} phone numbers,`,
        `${others}. It answers over HTTP on this machine.`,
        beforeMs === undefined ? `${night}.` : `${night}, a night after the last demo.`,
      )
    },
    mutation: ({ beforeMs }: DemoState) =>
      beforeMs === undefined
        ? line(
            '   On the first night everything is new: --mutate changes rows from the next one on.',
          )
        : step('Change the company as an ordinary day does: people, numbers, sessions,', 'boards.'),
    spring: () =>
      step(
        'Sync users and phone numbers on four earlier nights, so that reports have a',
        'history to show.',
      ),
    springNight: (nowMs: number, results: SyncedNight['results']) =>
      line(`     ${utcDay(nowMs)}  ${nightText(results)}`),
    sync: (state: DemoState) => step(...syncLines(state)),
    synced(night: SyncedNight): void {
      line()
      printRuns({ line, table, ...output }, 'demo', night)
      line()
      for (const text of [...foundLines(night), ...changedLines(night.changed)]) line(text)
      if (night.results.some(({ state }) => state !== 'complete'))
        line('\nThe sync was not complete, so there are no reports.')
    },
    files: ({ from, to }: { from: string; to: string }) =>
      step(`Publish six reports, and evidence of ${from} to ${to} for an auditor.`),
    placed({ published, bundle }: NightFiles): void {
      const files = published.flatMap(({ report }) => report.files)
      table([...files, bundle].map(({ path, bytes }) => [`   ${fromHere(path)}`, bytesText(bytes)]))
      for (const text of keptLines([...files, bundle])) line(`   ${text}`)
      line('   Anyone can check the evidence with this command:')
      line(`   ${verifyCommand(bundle)}`)
    },
    end({ beforeMs, directory, configFile }: DemoState, elapsedMs: number): void {
      line(`\nDone in ${duration(elapsedMs)}. Next:`)
      table(nextCommands())
      if (beforeMs !== undefined) for (const text of sinceLines(beforeMs, configFile)) line(text)
      line(`The demo keeps everything in ${directory}, which you can delete.`)
    },
  }
}

function syncLines({ nowMs, beforeMs }: DemoState): string[] {
  const first = `Sync the whole account on the night of ${utcDay(nowMs)}, and archive its files.`
  return beforeMs === undefined ? [first, 'The table counts the four earlier nights too.'] : [first]
}

function verifyCommand({ path, facts }: NightFiles['bundle']): string {
  return `${calledAs('callsheet')} verify --bundle ${asOneWord(fromHere(path))} --key ${facts.key}`
}

function nextCommands(): [string, string][] {
  const demo = calledAs('demo')
  return [
    [`  ${demo} --mutate`, 'sync the next night, after a day of changes'],
    [`  ${demo.replace(/ --$/, '')}`, 'sync the next night, without changes'],
    [`  ${demo} --database`, 'start the database, so that you can query it'],
    [`  ${demo} --reset`, 'start over'],
  ]
}

function sinceLines(beforeMs: number, configFile: string): string[] {
  const command = `${calledAs('callsheet')} report number-inventory --since ${utcDay(beforeMs)}`
  return [
    'To see which phone numbers changed since the night before:',
    `  ${command} --config ${asOneWord(configFile)}`,
  ]
}

/** Returns the changed rows as lines of at most 80 columns. */
function changedLines(rows: readonly ChangedRow[]): string[] {
  if (rows.length === 0) return []
  const title = `\n${rows.length} of the changed rows, before -> after:`
  const lines = rows.map(({ name, values }, at) => {
    const [first = '', ...more] = values
    const others = more.length === 0 ? '' : ` (+${more.length} more)`
    const text = `    ${cut(name, 24).padEnd(24)}  ${changeText(first, 50 - others.length)}${others}`
    const { table } = rows[at] ?? {}
    return table === rows[at - 1]?.table ? [text] : [`  ${table}`, text]
  })
  return [title, ...lines.flat()]
}

/** Cuts the value before a change, so that the new value is printed whole if it fits. */
function changeText(text: string, longest: number): string {
  if (text.length <= longest) return text
  const [whole = text, column = '', before = '', after = ''] = CHANGE.exec(text) ?? []
  const room = Math.max(1, longest - column.length - after.length)
  return cut(before === '' ? whole : `${column}${cut(before, room)}${after}`, longest)
}

function nightText(results: SyncedNight['results']): string {
  const tables = results.flatMap((result) => Object.entries(result.tables))
  const parts = tables.flatMap(([name, { inserted, updated }]) =>
    name === 'users' || name === 'phone_numbers'
      ? [
          ...(inserted > 0 ? [`${count(inserted)} new ${name.replace('_', ' ')}`] : []),
          ...(updated > 0 ? [`${count(updated)} changed ${name.replace('_', ' ')}`] : []),
        ]
      : [],
  )
  return parts.join(', ')
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text
}

/** A changed value: its column, the value before, and the value after with its arrow. */
const CHANGE = /^(\w+: )(.*?)( -> .*)$/s
