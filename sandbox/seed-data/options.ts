import type { RateLabel } from '../../src/core/define/operation.ts'
import type { Clock } from '../../src/core/time/clock.ts'
import { hash, randomFrom } from '../base/random.ts'
import type { Readings } from '../readings/readings.ts'
import type { ListKind } from './state.ts'

export interface Sizes {
  users: number
  sessions: number
  whiteboards: number
  activities: number
  recordings: number
  numbers: number
  /** Default: a third as many boards as archived sessions. The sizes below have fixed defaults. */
  boards?: number
  labels?: number
  consents?: number
  orders?: number
  groups?: number
  trunks?: number
  peering?: number
  [kind: ListKind]: number | undefined
}

export interface Credentials {
  accountId: string
  clientId: string
  clientSecret: string
  /** The client ID of the app as a public client, which has no secret. */
  publicClientId: string
  /** The redirect address that is registered with the app. */
  redirectUrl: string
  /** The key for the video-session JWT. */
  apiKey: string
  apiSecret: string
  /** Whether the app may be used on devices. */
  deviceUse: boolean
  /** The scopes of this app's tokens. */
  scopes: readonly string[]
}

export type LimiterKind = 'fixed-second' | 'sliding-window' | 'token-bucket'

export interface LabelQuota {
  perSecond?: number
  perMinute?: number
  perDay?: number
  /** Labels of one pool share its daily quota. */
  pool: string
}
export type LabelQuotas = Readonly<Record<RateLabel, LabelQuota>>

/** Behavior that a service may choose. The seed draws the limiter and the grace of refresh tokens. */
export interface Habits {
  limiter: LimiterKind
  /** How long a used refresh token is still accepted. */
  refreshGraceMs: number
  /** How long a device must wait between two requests. */
  deviceIntervalMs: number
  /** The share of pages that are empty although more follow. */
  emptyPages: number
  /** The longest page, whatever size was requested: a service may silently clamp the size. */
  pageCap: number
}

export interface SandboxOptions {
  seed?: number
  sizes?: Partial<Sizes>
  /** How many days back the company's data reaches; default: just under six months. */
  historyDays?: number
  /** The instant at which the wall clock is frozen; requests are still paced by elapsed time. */
  nowMs?: number
  clock?: Clock
  port?: number
  /**
   * The accounts. Each account's company has a seed of its own, which is derived from `seed`. All accounts
   * share IDs.
   */
  accounts?: readonly Partial<Credentials>[]
  quotas?: LabelQuotas
  habits?: Partial<Habits>
  /** The variants of the readings that the sandbox plays. */
  readings?: Partial<Readings>
  /** Switches that are off. */
  switches?: Partial<Switches>
  /** The share of notifications that are sent twice; default: a fifth. */
  toldTwice?: number
  /** The size of the largest recording file; default: hundreds of megabytes, like real ones. */
  recordingBytes?: number
  /** The file with the mutations, so that a later run has an equal company. */
  stateFile?: string
}

export const DEFAULT_SIZES: Sizes = {
  users: 20_000,
  sessions: 30_000,
  whiteboards: 3_000,
  activities: 40_000,
  recordings: 10_000,
  numbers: 8_000,
}

/** Quotas high enough for the demo to end within a minute on two cores. */
export const LAB_QUOTAS: LabelQuotas = {
  LIGHT: { perSecond: 1_000, perDay: 2_000_000, pool: 'LIGHT' },
  MEDIUM: { perSecond: 1_000, perDay: 2_000_000, pool: 'MEDIUM' },
  HEAVY: { perSecond: 500, perDay: 1_000_000, pool: 'HEAVY' },
  'RESOURCE-INTENSIVE': { perMinute: 6_000, perDay: 1_000_000, pool: 'HEAVY' },
}

export const ALL_SCOPES = [
  'user:read:admin',
  'whiteboard_content:read:admin',
  'whiteboard_content:read',
  'whiteboard:read:admin',
  'whiteboard_collaborator:read:admin',
  'whiteboard_classification_labels:read:admin',
  'number_management_numbers:read:admin',
  'whiteboard_content:write',
  'whiteboard:write:admin',
  'whiteboard:write',
  'whiteboard_collaborator:write:admin',
  'whiteboard_classification_labels:write:admin',
  'number_management_numbers:write:admin',
  'number_management_numbers:write:master',
  'user:write:admin',
]

export function drawHabits(seed: number, fixed: Partial<Habits>): Habits {
  const random = randomFrom(hash(seed, 0x4ab, 0))
  const draw = <T>(...ways: T[]): T => ways[Math.floor(random() * ways.length)] as T
  return {
    limiter: draw('fixed-second', 'sliding-window', 'token-bucket'),
    refreshGraceMs: draw(0, 60_000),
    deviceIntervalMs: 5_000,
    emptyPages: 0,
    pageCap: Number.POSITIVE_INFINITY,
    ...fixed,
  }
}

export function completeCredentials(given: Partial<Credentials>, ordinal: number): Credentials {
  const name = String(ordinal + 1)
  return {
    accountId: `acct-${name}`,
    clientId: `client-${name}`,
    clientSecret: `client-secret-${name}`,
    publicClientId: `public-client-${name}`,
    redirectUrl: 'http://127.0.0.1:8976/callback',
    apiKey: `video-key-${name}`,
    apiSecret: `video-secret-${name}`,
    deviceUse: true,
    scopes: ALL_SCOPES,
    ...given,
  }
}

/** Features of an account, by its plan, its settings and its cluster. All are on by default. */
export interface Switches {
  /** Off in the government cluster, which has no whiteboard content, removal of labels or custom storage. */
  commercialCluster: boolean
  /** Operations that the documents call beta. */
  beta: boolean
  /** The data-classification feature. */
  classification: boolean
  /** The app's user may make, change and delete classification labels. */
  managesLabels: boolean
  /** An account of the video-session kind. */
  videoSessions: boolean
  /** The plan allows recordings in the customer's own bucket. */
  customerStorage: boolean
  /** Sessions can be recorded in the cloud. */
  cloudRecording: boolean
  /** The setting that lets a host delete recordings in the cloud. */
  hostMayDelete: boolean
  /** The account is paid, which session reports require. */
  paidAccount: boolean
  /** The dashboard, which includes session reports. */
  dashboard: boolean
  /** A Pro plan or higher. */
  proPlan: boolean
  /** A Business or Enterprise plan. */
  businessPlan: boolean
  /** A license for the phone. */
  phoneLicence: boolean
  /** The caller is the owner or an administrator. */
  administrator: boolean
  /** Carrier-supplied numbers. */
  carrierNumbers: boolean
  /** The compliance feature that PCI calls need. */
  pciPal: boolean
  /** Carrier numbers for the phone must name their SIP group. */
  carrierGroups: boolean
  /** The account has several sites; phone numbers must then name their site. */
  multipleSites: boolean
  /** The caller is a provider-exchange partner. */
  providerExchange: boolean
}
