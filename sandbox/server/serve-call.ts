import { hash } from '../base/random.ts'
import { envelopeAnswer } from '../forms/envelope-answer.ts'
import { shapeAnswer } from '../forms/shape-answer.ts'
import { spellAnswer } from '../forms/spell.ts'
import { documentedBody, documentedQuery, translateBody } from '../forms/translate-words.ts'
import { applyOps } from '../protocol/apply-ops.ts'
import type { Answering, ApiRequest, SandboxCall } from '../protocol/call.ts'
import { SandboxFile } from '../protocol/file-bytes.ts'
import { sealed } from '../protocol/file-host.ts'
import { rateRefusal } from '../protocol/rate-refusal.ts'
import { badParameter, SandboxRefusal } from '../protocol/refusal.ts'
import type { MatchedRoute } from '../protocol/routes.ts'
import { arrivalCounter } from '../protocol/stats.ts'
import { switchedOff } from '../protocol/switches.ts'
import type { SeedData } from '../seed-data/seed-data.ts'
import type { SandboxContext } from './context.ts'

export interface Answered {
  status: number
  /** The body: JSON or a file; undefined if there is none. */
  body: object | undefined
}

/** Serves an API call, after any faults: checks token, rate limit, scopes and parameters, then answers. */
export function callServer(
  context: SandboxContext,
  answers: Readonly<Record<string, Answering>>,
): (request: ApiRequest, limitedBy?: 'per-second' | 'daily') => Answered {
  const countArrival = arrivalCounter(context.stats)
  let serial = 0
  return (request, limitedBy) => {
    const { operation, path, otherwise, authorization, holder: known } = request
    const answering = answers[operation.id]
    if (answering === undefined)
      throw new RangeError(`the sandbox has no answer for ${operation.id}`)
    serial++
    const { stats, clock } = context
    stats.operations[operation.id] = (stats.operations[operation.id] ?? 0) + 1
    countArrival(operation.rate, clock.elapsed())
    const holder = known ?? context.authorizer.enter(operation, authorization)
    limitRate(context, { operation, account: holder.accountId, serial, limitedBy })
    context.authorizer.checkScopes(answering, holder)
    const seedData = context.seedDataByAccount.get(holder.accountId)
    if (seedData === undefined)
      throw new RangeError(`no company for the account ${holder.accountId}`)
    const lacking = answering.needs?.find((name) => !context.switches[name])
    if (lacking !== undefined) throw switchedOff(lacking)
    const { readings } = context
    const query = documentedQuery(readings, request.query)
    const body = documentedBody(readings, request.body)
    const call: SandboxCall = {
      seedData,
      operation,
      path,
      query: readQuery(query, parametersOf(context, operation, answering), answering),
      values: (parameter) => query.getAll(parameter),
      body,
      nowMs: clock.now(),
      habits: context.habits,
      readings,
      tokens: context.tokens,
      serial,
      files: { url: `${context.fileUrl}/v2`, seal: sealed(context, holder.accountId) },
      granted: holder.scopes,
      admits: (token) =>
        context.authorizer.holderOf(operation, token)?.accountId === holder.accountId,
      switches: context.switches,
      change: changer(context, seedData),
    }
    const answer = answerEither(answering, call, otherwise)
    const plain = answer === undefined || answer instanceof SandboxFile
    const told = plain ? answer : spellAnswer(readings, operation, translateBody(readings, answer))
    const shaped = (one: object) => shapeAnswer(readings, operation, one)
    const whole = told && shaped(told)
    const enveloped =
      plain || whole === undefined ? whole : envelopeAnswer(readings, operation, whole)
    const usual = whole !== undefined && enveloped === undefined ? 204 : 200
    return { status: answering.status ?? usual, body: enveloped }
  }
}

/** Tries the meanings of a path in order, until one of them is not refused. */
function answerEither(
  answering: Answering,
  call: SandboxCall,
  otherwise: readonly SandboxCall['path'][] = [],
): ReturnType<Answering['answer']> {
  try {
    return answering.answer(call)
  } catch (error) {
    const [path, ...rest] = otherwise
    if (path === undefined || !(error instanceof SandboxRefusal)) throw error
    try {
      return answerEither(answering, { ...call, path }, rest)
    } catch {
      throw error
    }
  }
}

function changer(context: SandboxContext, seedData: SeedData): SandboxCall['change'] {
  return (ops) => {
    const { after, touched } = applyOps(seedData, ops)
    seedData.state = after
    context.saveState()
    return touched
  }
}

function limitRate(
  context: SandboxContext,
  call: {
    operation: MatchedRoute['operation']
    account: string
    serial: number
    limitedBy: 'per-second' | 'daily' | undefined
  },
): void {
  const { rate: label } = call.operation
  const verdict = call.limitedBy ?? context.limiter.take(call.account, label)
  if (verdict === 'taken') return
  context.stats.labels[label].rateLimited++
  throw rateRefusal({
    verdict,
    label,
    quota: context.quotas[label],
    left: context.limiter.leftToday(call.account, label),
    nowMs: context.clock.now(),
    draw: hash(context.seed, 0x429, call.serial),
  })
}

/** Reads the query. Unlike the service, the sandbox rejects an unknown parameter, and names it. */
function readQuery(
  query: URLSearchParams,
  parameters: readonly string[],
  answering: Answering,
): Map<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of query) {
    if (!parameters.includes(name))
      throw badParameter(name, 'is not a parameter of this operation', answering.parameterCode)
    const repeated = answering.repeated?.includes(name) === true
    if (values.has(name) && !repeated)
      throw badParameter(name, 'was sent twice', answering.parameterCode)
    values.set(name, value)
  }
  return values
}

function parametersOf(
  { readings }: SandboxContext,
  { paging }: MatchedRoute['operation'],
  { parameters }: Answering,
): readonly string[] {
  const numbered = readings.listPages === 'numbers' && paging?.style === 'token'
  return numbered ? [...parameters, 'page_number'] : parameters
}
