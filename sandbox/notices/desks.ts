import { addOddText } from '../base/clean-text.ts'
import { HOUR_MS, isoSecond } from '../base/wire-time.ts'
import { plainId } from '../seed-data/ids.ts'
import type { Happening, Scenario, Scene } from './happening.ts'

/** A workspace is created, renamed, assigned, unassigned and removed. */
const workspace: Scenario = (scene) => {
  const { seedData, host } = scene
  const id = workspaceId(scene)
  const named = (workspace_name: string) => ({ id, workspace_name })
  const seat = {
    workspace_id: id,
    workspace_name: nameOf(scene),
    assign_type: 'permanent',
    account_id: seedData.accountId,
    user_id: host.id,
  }
  const held = (state: string) => ({ thing: 'workspace_seat', key: [id, host.id], state })
  const is = (state: string) => ({ thing: 'workspace', key: [id], state })
  return [
    { ...told(scene, 'created'), object: named('New workspace'), now: is('present') },
    { ...told(scene, 'updated'), object: named(nameOf(scene)), now: is('present') },
    {
      ...told(scene, 'user_assigned', 'date-time'),
      object: { ...seat, user_email: host.email },
      now: held('assigned'),
    },
    { ...told(scene, 'user_unassigned', 'date-time'), object: seat, now: held('unassigned') },
    { ...told(scene, 'deleted'), object: named(nameOf(scene)), now: is('deleted') },
  ]
}

/** A desk is booked, moved and used; a questionnaire is answered and changed; the booking is canceled. */
const reservation: Scenario = (scene) => {
  const { seedData, index, nowMs, host } = scene
  const id = plainId(seedData.idSeed, 0xe4, index)
  const booked = (hours: number) => ({
    id,
    workspace_id: workspaceId(scene),
    topic: addOddText('Deep work', scene.h),
    start_time: isoSecond(nowMs + hours * HOUR_MS),
    end_time: isoSecond(nowMs + (hours + 8) * HOUR_MS),
    reserve_for: host.email,
  })
  const is = (state: string) => ({ thing: 'reservation', key: [id], state })
  const made = { ...booked(1), assignment_checkin: false }
  return [
    { ...told(scene, 'reservation_created'), object: made, now: is('reserved') },
    { ...told(scene, 'reservation_update'), object: booked(2), now: is('reserved') },
    { ...told(scene, 'reservation_checked_in'), object: booked(2), now: is('checked_in') },
    asked(scene, { event: 'created', answer: 'Yes' }),
    asked(scene, { event: 'updated', answer: 'No' }),
    { ...told(scene, 'reservation_deleted'), object: booked(2), now: is('deleted') },
  ]
}

const issue: Scenario = (scene) => [
  {
    ...told(scene, 'issue_reported'),
    object: {
      report_id: plainId(scene.seedData.idSeed, 0xe5, scene.index),
      workspace_id: workspaceId(scene),
      workspace_name: nameOf(scene),
      location_path: 'North campus/Building 2/Floor 3',
      category_name: 'Equipment',
      issue_types: ['Monitor', 'Chair'],
      ...(scene.index % 2 === 0
        ? { description: 'The screen stays dark.', file_ids: ['f-1'] }
        : {}),
    },
  },
]

export const DESKS = { workspace, reservation, 'workspace-issue': issue }

function told(
  { operator }: Scene,
  name: string,
  timed: Happening['timed'] = 'integer',
): Omit<Happening, 'object'> {
  return { event: `workspace.${name}`, timed, operator }
}

function asked(
  scene: Scene,
  { event, answer }: { event: 'created' | 'updated'; answer: string },
): Happening {
  const { seedData, index, nowMs, host } = scene
  const question = (type: string, at: number) => ({
    question_id: `q-${at}`,
    title: `Question ${at}`,
    type,
    reply_id: `r-${index}-${at}`,
    options: [{ option_id: `o-${at}`, text: answer }],
  })
  const list = ['single-choice', 'multiple-choice', 'open-text'].map(question)
  return {
    ...told(scene, `reservation_questionnaire_response_${event}`, 'date-time'),
    object: {
      desk_id: workspaceId(scene),
      event_id: plainId(seedData.idSeed, 0xe6, index),
      location_id: plainId(seedData.idSeed, 0xe2, index % 9),
      user_name: host.display_name,
      workspace_name: nameOf(scene),
      start_time: isoSecond(nowMs),
      questionnaire_response: [{ id: `qn-${index}`, title: 'Arrival', subject: 'Health', list }],
    },
  }
}

function workspaceId({ seedData, index }: Scene): string {
  return plainId(seedData.idSeed, 0xe3, index)
}

function nameOf({ index, h }: Scene): string {
  return addOddText(`Desk ${index}`, h >>> 5)
}
