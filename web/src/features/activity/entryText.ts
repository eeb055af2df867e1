import i18next, { type TFunction } from 'i18next';
import { slotsText } from '@/lib/alarm/period';
import { conditionParts, plainText, spanText, windowText } from '@/lib/alarm/sentence';
import { channelKinds, kindNamed } from '@/lib/channel/kinds';
import { type Format, formatFor } from '@/lib/format/format';
import { isLanguage, type Language } from '@/lib/i18n/i18n';
import { descriptors } from '@/lib/i18n/languages';
import { isRole } from '@/lib/session/useMay';
import type { Change, Condition, Entry } from './queries';
import { actionsOf } from './search';

/** The names of attributes, by their identifiers. */
export type Names = Readonly<Record<string, { yeuName: string; unit: string } | undefined>>;

interface TextContext {
  t: TFunction;
  format: Format;
  language: Language;
  names: Names;
}

export function textContext(language: Language, names: Names = {}): TextContext {
  return { t: i18next.getFixedT(language), format: formatFor(language), language, names };
}

/** Placeholder for a thing's name, which is later inserted in bold. */
const nameMark = '\u0002';

/**
 * What was done, as a sentence in three pieces: the text before the thing's name, the name, and the
 * text after it.
 */
export function entrySentence(entry: Entry, context: TextContext): [string, string, string] {
  const [before, thing, after] = actionOf(entry, context);
  const more = changesText(entry, context);
  return [before, thing, more === '' ? after : after + context.t('activity.with', { action: '', changes: more })];
}

/** What was done, without its changes. */
export function entryTitle(entry: Entry, context: TextContext): string {
  return actionOf(entry, context).join('');
}

function actionOf(entry: Entry, context: TextContext): [string, string, string] {
  const { kind, action, thing, changes } = entry;
  const { t } = context;
  const ended = action === 'mute' && changes.some(({ field, after }) => field === 'muteUntil' && after === undefined);
  const done = ended ? 'unmute' : action;
  const text = actionsOf(kind).includes(done)
    ? t(`activity.did.${kind}.${done}` as 'activity.did.scene.create', { thing: nameMark })
    : t('activity.did.other', { what: `${kind}.${action}`, thing: nameMark });
  const [before = '', after = ''] = text.split(nameMark);
  // An invitation by a link alone names nobody.
  const name = kind === 'invitation' && thing === '' ? t('activity.value.somebody') : thing;
  return [before, name, after];
}

/**
 * The label of a field, as the screens name it. What has no text goes by its own name, such as the
 * settings of the tenant's branding.
 */
export function fieldLabel(field: string, { t }: TextContext): string {
  const kind = kindNamed(field);
  const other = kind ? t(`channel.modes.${kind}`) : field;
  return t(`activity.field.${field}` as 'activity.field.name', { defaultValue: other });
}

function conditionsText(conditions: readonly Condition[], { language, names }: TextContext): string {
  const terms = conditions.map(({ tslAttribute, ...rest }) => ({
    ...rest,
    name: names[tslAttribute]?.yeuName ?? tslAttribute,
    unit: names[tslAttribute]?.unit ?? '',
  }));
  return plainText(conditionParts(terms, 'brief', language));
}

function listText(list: readonly unknown[], { format }: TextContext): string {
  return format.list(list.map(String));
}

function codeText(field: string, value: number, context: TextContext): string {
  const { t, format, language } = context;
  switch (field) {
    case 'groupStatus':
      return t(`scene.status.${value === 2 ? 2 : 1}`);
    case 'alarmLevel':
      return t(`home.level.${value === 2 ? 2 : value === 1 ? 1 : 0}`);
    case 'deployState':
      return t(value === 1 ? 'activity.value.running' : 'activity.value.stopped');
    case 'triggerType':
      return t(value === 1 ? 'activity.value.offline' : 'activity.value.values');
    case 'manualRelease':
    case 'enabled':
      return t(value === 1 ? 'activity.value.yes' : 'activity.value.no');
    case 'durations':
      return windowText(value, 'full', language);
    case 'remindEvery':
      return spanText(value, language);
    case 'muteUntil':
    case 'remindAt':
    case 'startTime':
    case 'fromTime':
    case 'endTime':
      return format.absolute(value);
    case 'longitude':
      return format.longitude(value, 5);
    case 'latitude':
      return format.latitude(value, 5);
    default:
      return format.number(value);
  }
}

/** A value, as the screens show it. */
export function valueText(field: string, value: unknown, context: TextContext): string {
  const { t, names } = context;
  if (field === 'weekdays') return Array.isArray(value) ? context.format.weekdays(value) : t('activity.value.everyDay');
  if (value === undefined || value === null) return t('activity.value.none');
  if (field === 'secondFactor' && (value === 'optional' || value === 'required')) {
    return t(`activity.value.factor.${value}`);
  }
  if (typeof value === 'boolean') return t(value ? 'activity.value.yes' : 'activity.value.no');
  if (typeof value === 'number') return codeText(field, value, context);
  if (Array.isArray(value)) {
    if (field === 'conditions') return conditionsText(value as Condition[], context);
    if (field === 'timePeriods') return slotsText(value as number[]);
    if (field === 'noticeMode') {
      const modes = channelKinds.filter((mode) => value.includes(mode));
      return listText(
        modes.map((mode) => t(`channel.modes.${mode}`)),
        context,
      );
    }
    return listText(value, context);
  }
  if (field === 'language' && value === '') return t('activity.value.farmLanguage');
  if (field === 'language' && isLanguage(value)) return descriptors[value].name;
  if (field === 'role' && isRole(value)) return t(`role.${value}`);
  if (field === 'calibrationKind' && (value === 'offset' || value === 'twoPoint' || value === 'none')) {
    return t(`activity.value.calibration.${value}`);
  }
  if (field === 'attributeGone' || field === 'attribute') return names[String(value)]?.yeuName ?? String(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One change as a part of the sentence, for example: remark name from Mast to Pump 3. */
export function changeText({ field, before, after, hidden }: Change, context: TextContext): string {
  const { t } = context;
  const name = fieldLabel(field, context);
  if (hidden) return t('activity.change.hidden', { field: name });
  const was = valueText(field, before, context);
  const is = valueText(field, after, context);
  // Without weekdays a rule applies every day, so there is always a value before and after.
  if (field === 'weekdays') return t('activity.change.both', { field: name, before: was, after: is });
  if (before === undefined) return t('activity.change.set', { field: name, after: is });
  if (after === undefined) return t('activity.change.gone', { field: name, before: was });
  return t('activity.change.both', { field: name, before: was, after: is });
}

/** How many changes the sentence itself names; the others are listed below it. */
const maxChangesInSentence = 2;

/**
 * The changes, for the sentence. Empty if a thing was created or deleted as a whole, or if the
 * action already says what changed.
 */
function changesText({ kind, action, changes: all }: Entry, context: TextContext): string {
  const changes = all.filter(({ field }) => field !== 'deployState');
  if (['create', 'delete', 'switchOff'].includes(action) || kind === 'invitation' || changes.length === 0) return '';
  const { t, format } = context;
  const first = changes.slice(0, maxChangesInSentence).map((change) => changeText(change, context));
  const more = changes.length - maxChangesInSentence;
  if (more > 0) first.push(t('activity.change.more', { count: more, n: format.number(more) }));
  const tag = descriptors[context.language].intl;
  return new Intl.ListFormat(tag, { type: 'conjunction' }).format(first);
}

/** The identifiers of all attributes that the entries name. */
export function attributesOf(entries: readonly Entry[]): string[] {
  const signs = new Set<string>();
  for (const { changes } of entries) {
    for (const { field, before, after } of changes) {
      if ((field === 'attributeGone' || field === 'attribute') && typeof after === 'string') signs.add(after);
      if (field !== 'conditions') continue;
      for (const list of [before, after]) {
        for (const { tslAttribute } of (Array.isArray(list) ? list : []) as Condition[]) signs.add(tslAttribute);
      }
    }
  }
  return [...signs].sort();
}

/** The actor's name, as the screens show it. */
export function personText({ by, name }: { by: string; name: string }, { t }: TextContext): string {
  if (by === 'provider' || by === 'server') return t(`activity.by.${by}`);
  return by === 'credential' ? t('activity.by.credential', { name }) : name;
}
