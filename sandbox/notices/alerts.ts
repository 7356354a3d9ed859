import { pick } from '../base/random.ts'
import { plainId } from '../seed-data/ids.ts'
import type { Happening, Scenario, Scene } from './happening.ts'

/** `[alert_type, component, text at the start, text at the end]`. */
const PROBLEMS = [
  [1, 2, 'The controller is disconnected', 'The controller is connected'],
  [2, 4, 'A microphone is disconnected', 'A microphone is connected'],
  [3, 1, 'The room is offline', 'The room is online'],
  [4, 1, 'High CPU usage', 'CPU usage is normal'],
  [5, 1, 'Low bandwidth', 'Bandwidth is normal'],
  [6, 3, 'The battery of the scheduling display is low', 'The battery is normal'],
  [7, 0, 'A room display is disconnected', 'A room display is connected'],
  [8, 6, 'Audio quality is low', 'Audio quality is normal'],
  [9, 0, 'SIP registration failed', 'SIP registration works'],
  [2, 5, 'A camera is disconnected', 'A camera is connected'],
] as const

/** A problem begins and continues. */
const alert: Scenario = (scene) => [begun(scene, 'svcroom.alert')]

/** A problem begins and is fixed, each with a message. */
const mended: Scenario = (scene) => [begun(scene, 'svcroom.alert'), ended(scene, 'svcroom.alert')]

const delayed: Scenario = (scene) => [
  begun(scene, 'svcroom.delayed_alert'),
  ended(scene, 'svcroom.delayed_alert'),
]

/** The service observes something, and no event follows. */
const observed: Scenario = (scene) => [
  told(scene, {
    event: 'svcroom.alert',
    facts: { alert_type: 10, component: 0, issue: 'A wrong passcode was entered', alert_kind: 3 },
    now: ['room_alert_observed', 'observed'],
  }),
]

const other: Scenario = (scene) => [
  told(scene, {
    event: 'svcroom.alert',
    facts: { alert_type: 0, component: 0, issue: 'Something else', alert_kind: 4 },
    now: ['room_alert_other', 'other'],
  }),
]

export const ALERT_STORIES = {
  alert,
  'mended-alert': mended,
  'delayed-alert': delayed,
  'observed-alert': observed,
  'other-alert': other,
}

function begun(scene: Scene, event: string): Happening {
  const [alert_type, component, issue] = pick(PROBLEMS, scene.index)
  const facts = { alert_type, component, issue, alert_kind: 1 }
  return told(scene, { event, facts, now: ['room_alert', 'triggered'] })
}

function ended(scene: Scene, event: string): Happening {
  const [alert_type, component, , issue] = pick(PROBLEMS, scene.index)
  const facts = { alert_type, component, issue, alert_kind: 2 }
  return told(scene, { event, facts, now: ['room_alert', 'cleared'] })
}

function told(
  { seedData, index, nowMs }: Scene,
  {
    event,
    facts,
    now: [thing, state],
  }: {
    event: string
    facts: { alert_type: number; component: number; issue: string; alert_kind: number }
    now: readonly [thing: string, state: string]
  },
): Happening {
  const id = plainId(seedData.idSeed, 0xe7, index)
  return {
    event,
    timed: 'integer',
    object: {
      id,
      room_name: `Room ${index}`,
      calendar_name: `Calendar ${index}`,
      email: `room.${index}@corp.example`,
      alert_time: nowMs,
      ...facts,
    },
    now: { thing, key: [id, String(facts.alert_type), String(facts.component)], state },
  }
}
