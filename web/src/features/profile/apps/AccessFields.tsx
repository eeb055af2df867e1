import ExclamationCircleOutlined from '@ant-design/icons/ExclamationCircleOutlined';
import { Checkbox } from 'antd';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { now } from '@/lib/format/clock';
import { useFormat } from '@/lib/format/format';
import { pickerDate } from '@/ui/form/DatePicker';
import { DayPicker } from '@/ui/form/DayPicker';
import { Field } from '@/ui/form/Field';
import { Select } from '@/ui/Select';
import { ZoneNote } from '@/ui/ZoneNote';
import css from './AccessFields.module.css';
import { type AccessValues, allows, expiries, roles, type Scope, scopeRoles, scopesOf } from './access';

interface Focusable {
  focus: () => void;
}

interface AccessFieldsProps {
  values: AccessValues;
  errors: { role?: string; scopes?: string; expiryTime?: string; day?: string };
  scopesRef: (element: Focusable | null) => void;
  dayRef: (element: Focusable | null) => void;
  onChange: (part: Partial<AccessValues>) => void;
}

/** What a new key may do, and until when. */
export function AccessFields({ values, errors, scopesRef, dayRef, onChange }: AccessFieldsProps) {
  const { t } = useTranslation();
  return (
    <>
      <Field label={t('app.role')} error={errors.role} hint={t('app.roleHint')}>
        {({ status: _, ...labels }) => (
          <Select
            {...labels}
            className={css.select}
            value={values.role}
            onChange={({ target }) => onChange({ role: roles.find((role) => role === target.value) ?? values.role })}
          >
            {roles.map((role) => (
              <option key={role} value={role}>
                {t(`role.${role}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Scopes values={values} error={errors.scopes} firstRef={scopesRef} onChange={onChange} />
      <Field label={t('app.expiryTime')} error={errors.expiryTime} hint={t('app.expiryHint')}>
        {({ status: _, ...labels }) => (
          <Select
            {...labels}
            className={css.select}
            value={values.expiry}
            onChange={({ target }) =>
              onChange({ expiry: expiries.find((expiry) => expiry === target.value) ?? values.expiry })
            }
          >
            {expiries.map((expiry) => (
              <option key={expiry} value={expiry}>
                {t(`app.expiry.${expiry}`)}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {values.expiry === 'day' ? (
        <LastDay day={values.day} error={errors.day} dayRef={dayRef} onChange={(day) => onChange({ day })} />
      ) : null}
    </>
  );
}

interface ScopesProps {
  values: AccessValues;
  error: string | undefined;
  firstRef: (element: Focusable | null) => void;
  onChange: (part: Partial<AccessValues>) => void;
}

function Scopes({ values, error, firstRef, onChange }: ScopesProps) {
  const { t } = useTranslation();
  const { capital } = useFormat();
  const id = useId();
  const chosen = scopesOf(values);
  const tick = (scope: Scope, ticked: boolean) =>
    onChange({
      ticked: ticked ? [...values.ticked, scope] : values.ticked.filter((other) => other !== scope),
    });
  return (
    <fieldset className={css.scopes} aria-describedby={error ? `${id}-error` : undefined}>
      <legend className={css.legend}>{t('app.scopes')}</legend>
      {scopeRoles.map(({ scope, role }) => {
        const allowed = allows(values.role, role);
        return (
          <div key={scope} className={css.scope}>
            <Checkbox
              ref={scope === 'read' ? (box) => firstRef(box?.input ?? null) : undefined}
              className={css.box}
              checked={chosen.includes(scope)}
              disabled={!allowed}
              aria-describedby={`${id}-${scope}${allowed ? '' : ` ${id}-${scope}-needs`}`}
              onChange={({ target }) => tick(scope, target.checked)}
            >
              {capital(t(`app.scope.${scope}`))}
            </Checkbox>
            <p className={css.what} id={`${id}-${scope}`}>
              {t(`app.scopeWhat.${scope}`)}
            </p>
            {allowed ? null : (
              <p className={`${css.what} ${css.needs}`} id={`${id}-${scope}-needs`}>
                {t('app.scopeNeeds', { role: t(`role.${role}`) })}
              </p>
            )}
          </div>
        );
      })}
      {error ? (
        <p className={css.error} id={`${id}-error`}>
          <ExclamationCircleOutlined aria-hidden="true" />
          {error}
        </p>
      ) : null}
    </fieldset>
  );
}

interface LastDayProps {
  day: string;
  error: string | undefined;
  dayRef: (element: Focusable | null) => void;
  onChange: (day: string) => void;
}

function LastDay({ day, error, dayRef, onChange }: LastDayProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('app.lastDay')} required error={error} hint={t('app.lastDayHint')} below={<ZoneNote />}>
      {(labels) => (
        <DayPicker
          {...labels}
          ref={dayRef}
          className={css.picker}
          minDate={pickerDate(now())}
          day={day}
          onChange={onChange}
        />
      )}
    </Field>
  );
}
