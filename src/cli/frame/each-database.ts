import { pick } from '../../account/choose.ts'
import { type Place, placeOf, placesOf } from '../../config/places.ts'
import type { Config } from '../../config/schema.ts'
import { ConfigurationError } from '../../core/errors.ts'
import type { CommonOptions } from './command.ts'
import type { Context } from './context.ts'
import { worst } from './exit-codes.ts'
import type { Output } from './output.ts'
import { describeError, errorLines, exitCodeOf } from './print-error.ts'

/** What a command does if its accounts are in several databases and no option names one. */
export type Databases =
  /** It works on one database after another; a database that fails does not stop the others. */
  | 'each'
  /** It needs one of them, because it takes a run's number or makes one result. */
  | 'one'
  /** It opens the databases itself. */
  | 'all'
  | { named: string }

type Work = (context: Context) => Promise<number>

/** Runs `work` with the configuration of each database that the options choose; returns the worst exit code. */
export async function eachDatabase(
  context: Context,
  { options, databases }: { options: CommonOptions; databases: Databases },
  work: Work,
): Promise<number> {
  let places: readonly (Place | undefined)[] = [undefined]
  const results: object[] = []
  const codes: number[] = []
  for (let at = 0; at < places.length && !context.signal.aborted; at++) {
    let isNamed = false
    const result = (value: unknown): void => {
      if (places.length === 1) context.output.result(value)
      else results.push({ database: places[at]?.database, result: value })
    }
    const output: Output = { ...context.output, result }
    const loadConfig: Context['loadConfig'] = async (given) => {
      const loaded = await context.loadConfig(given)
      if (databases === 'all') return loaded
      if (places[0] === undefined) places = choosePlaces(loaded.config, options.account, databases)
      const place = places[at]
      if (places.length > 1 && !isNamed)
        output.line(`${at === 0 ? '' : '\n'}Database ${place?.database}`)
      isNamed = true
      return place === undefined ? loaded : { ...loaded, config: place.config }
    }
    try {
      codes.push(await work({ ...context, output, loadConfig }))
    } catch (error) {
      if (places.length === 1 || context.signal.aborted) throw error
      for (const line of errorLines(error, context.verbose)) output.note(line)
      result({ error: describeError(error) })
      codes.push(exitCodeOf(error))
    }
  }
  if (results.length > 0) context.output.result(results)
  return worst(codes)
}

/** Returns the databases that a command works on; throws if it needs one and none is named. */
export function choosePlaces(
  config: Config,
  account: string | undefined,
  databases: Databases,
): Place[] {
  const places = placesOf(config)
  if (typeof databases === 'object')
    return [pick('database', databases.named, places.map(withName))]
  const own = account === undefined ? undefined : placeOf(config, account)
  if (own !== undefined) return [own]
  if (account !== undefined) pick('account', account, config.accounts)
  if (places.length === 1 || databases === 'each') return places
  throw new ConfigurationError('database_needed', {
    tried: 'Choosing the database',
    came: `the accounts are in several databases: ${places.map((place) => place.database).join(', ')}`,
    todo: 'add --account NAME or --database NAME',
  })
}

function withName(place: Place): Place & { name: string } {
  return { ...place, name: place.database }
}
