import { z } from 'zod'
import {
  type EventDefinition,
  flag,
  instant,
  list,
  oneOf,
  type Says,
  text,
  texts,
} from './definition.ts'

const workspace = z.looseObject({ id: text(), workspace_name: text() })

const seat = {
  workspace_id: text(),
  workspace_name: text(),
  assign_type: oneOf(['permanent']),
  account_id: text(),
  user_id: text(),
}

const reservation = {
  id: text(),
  workspace_id: text(),
  topic: text(),
  start_time: instant(),
  end_time: instant(),
  reserve_for: text(),
}

const answers = z.looseObject({
  desk_id: text(),
  event_id: text(),
  location_id: text(),
  user_name: text(),
  workspace_name: text(),
  start_time: instant(),
  questionnaire_response: list({
    id: text(),
    title: text(),
    subject: text(),
    list: list({
      question_id: text(),
      title: text(),
      type: oneOf(['single-choice', 'multiple-choice', 'open-text']),
      reply_id: text(),
      options: list({ option_id: text(), text: text() }),
    }),
  }),
})

const issue = z.looseObject({
  report_id: text(),
  workspace_id: text(),
  workspace_name: text(),
  location_path: text(),
  category_name: text(),
  issue_types: texts(),
  description: text(),
  file_ids: texts(),
})

export const WORKSPACE_EVENTS: readonly EventDefinition[] = [
  ofWorkspace('workspace.created', 'present', 0),
  ofWorkspace('workspace.updated', 'present', 1),
  ofWorkspace('workspace.deleted', 'deleted', 2),
  {
    event: 'workspace.user_assigned',
    fields: z.looseObject({ ...seat, user_email: text() }),
    says: ofSeat('assigned', 0),
  },
  {
    event: 'workspace.user_unassigned',
    fields: z.looseObject(seat),
    says: ofSeat('unassigned', 1),
  },
  {
    ...ofReservation('workspace.reservation_created', 'reserved', 0),
    fields: z.looseObject({ ...reservation, assignment_checkin: flag() }),
  },
  ofReservation('workspace.reservation_update', 'reserved', 1),
  ofReservation('workspace.reservation_checked_in', 'checked_in', 2),
  ofReservation('workspace.reservation_deleted', 'deleted', 3),
  { event: 'workspace.reservation_questionnaire_response_created', fields: answers },
  { event: 'workspace.reservation_questionnaire_response_updated', fields: answers },
  { event: 'workspace.issue_reported', fields: issue },
]

function ofWorkspace(event: string, state: string, rank: number): EventDefinition {
  const says = { thing: 'workspace', key: ['id'], state, rank }
  return { event, fields: workspace, id: 'workspace', says }
}

function ofSeat(state: string, rank: number): Says {
  return { thing: 'workspace_seat', key: ['workspace_id', 'user_id'], state, rank }
}

function ofReservation(event: string, state: string, rank: number): EventDefinition {
  const says = { thing: 'reservation', key: ['id'], state, rank }
  return { event, fields: z.looseObject(reservation), id: 'reservation', says }
}
