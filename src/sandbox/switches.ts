import { Refusal, refuse } from './refusal.ts'

/** What an account has, by its plan, its settings and its cluster. All of it is there if nothing is said. */
export interface Switches {
  /** Off in the government cluster: whiteboard content, removal of labels, storage of one's own. */
  commercialCluster: boolean
  /** Operations that the documents call beta. */
  beta: boolean
  /** The data-classification feature. */
  classification: boolean
  /** The app's user may make, change and delete classification labels. */
  managesLabels: boolean
  /** An account of the video-session kind. */
  videoSessions: boolean
  /** The plan allows recordings to be kept in a bucket of the customer's. */
  customerStorage: boolean
  /** Sessions can be recorded in the cloud. */
  cloudRecording: boolean
  /** The setting that lets a host delete recordings in the cloud. */
  hostMayDelete: boolean
  /** The account is paid for, as session reports ask. */
  paidAccount: boolean
  /** The dashboard, whose feature the session reports are. */
  dashboard: boolean
  /** A Pro plan or higher. */
  proPlan: boolean
  /** A Business or Enterprise plan. */
  businessPlan: boolean
  /** A licence for the phone. */
  phoneLicence: boolean
  /** The caller is the owner or an administrator. */
  administrator: boolean
  /** Carrier-supplied numbers. */
  carrierNumbers: boolean
  /** The compliance feature that PCI calls need. */
  pciPal: boolean
  /** SIP groups of carriers are optional: carriers' numbers for the phone must name theirs. */
  carrierGroups: boolean
  /** More than one site: phone numbers must name theirs. */
  multipleSites: boolean
  /** The caller is a provider-exchange partner. */
  providerExchange: boolean
}

export const ALL_ON: Switches = {
  commercialCluster: true,
  beta: true,
  classification: true,
  managesLabels: true,
  videoSessions: true,
  customerStorage: true,
  cloudRecording: true,
  hostMayDelete: true,
  paidAccount: true,
  dashboard: true,
  proPlan: true,
  businessPlan: true,
  phoneLicence: true,
  administrator: true,
  carrierNumbers: true,
  pciPal: true,
  carrierGroups: true,
  multipleSites: true,
  providerExchange: true,
}

/** For an operation that needs more than one of them. */
export function demand(switches: Switches, name: keyof Switches): void {
  if (!switches[name]) throw switchedOff(name)
}

/** How an operation is refused where its switch is off; what no document says is a plain 403 or 404. */
export function switchedOff(name: keyof Switches): Refusal {
  const [status, code, message] = REFUSALS[name]
  return code === undefined ? new Refusal(status, { message }) : refuse(status, code, message)
}

type Refused = readonly [status: number, code: number | string | undefined, message: string]

const REFUSALS: Readonly<Record<keyof Switches, Refused>> = {
  commercialCluster: [404, 404, 'This API is not available in this cluster.'],
  beta: [404, 404, 'This API is not available.'],
  classification: [403, 34004, 'Data classification is not enabled.'],
  managesLabels: [403, 34003, 'No permission to manage classification labels.'],
  videoSessions: [400, 200, 'This API is only for video-session accounts.'],
  customerStorage: [403, 3335, 'The account does not support customer recording storage.'],
  cloudRecording: [403, 403, 'Cloud recording is not enabled.'],
  hostMayDelete: [403, 403, 'The host may not delete cloud recordings.'],
  // The session list alone is refused without a code.
  paidAccount: [401, undefined, 'This API is only for paid accounts.'],
  dashboard: [403, undefined, 'The dashboard is not enabled for this account.'],
  proPlan: [403, 403, 'A Pro plan or higher is required.'],
  businessPlan: [403, 403, 'A Business or Enterprise plan is required.'],
  phoneLicence: [403, 403, 'A phone license is required.'],
  administrator: [403, 403, 'Only for owners and administrators.'],
  carrierNumbers: [400, 1004, 'Carrier-supplied numbers are not enabled for this account.'],
  pciPal: [400, '200_005', 'The SIP group does not support PCI.'],
  carrierGroups: [400, 999, 'SIP groups of carriers are not optional.'],
  multipleSites: [400, '1002_003', 'A site is required for phone numbers.'],
  providerExchange: [403, 403, 'Only for provider-exchange partners.'],
}
