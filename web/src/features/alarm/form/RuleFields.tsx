import { Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { targetCount } from '@/lib/alarm/targets';
import { levels } from '@/lib/alarm/types';
import { errorText } from '@/lib/http/errorText';
import { levelIcons } from '@/ui/alarm/tags';
import { ErrorNote } from '@/ui/ErrorNote';
import { Field } from '@/ui/form/Field';
import { ChannelField } from './ChannelField';
import { ConditionFrame, Conditions } from './Conditions';
import { HoldRow } from './HoldRow';
import { PeriodField } from './PeriodField';
import { RemindField } from './RemindField';
import css from './RuleFields.module.css';
import type { RuleField } from './rules';
import { Segments } from './Segments';
import { SourceField } from './SourceField';
import { TargetField } from './TargetField';
import type { RuleFormState } from './useRuleForm';
import { useTargetsHint } from './useTargetsHint';
import { descriptionLimit } from './values';

const noProblems = new Map<never, never>();

/** All fields of a rule. */
export function RuleFields({ form }: { form: RuleFormState }) {
  const { t } = useTranslation();
  const { values, change, findings, refusal, model, properties } = form;
  const errorOf = (field: RuleField): string | undefined => {
    if (refusal?.field === field) return refusal.text;
    const wrong = form.showsProblem(field) ? findings.fields[field] : undefined;
    return wrong && t(wrong.key, { most: wrong.most });
  };
  const { trigger } = values;
  const length = [...values.description.trim()].length;
  return (
    <>
      <div className={css.pair}>
        <Field label={t('rule.name')} required error={errorOf('alarmName')}>
          {(labels) => (
            <Input
              {...labels}
              autoFocus
              autoComplete="off"
              value={values.alarmName}
              onChange={({ target }) => change({ alarmName: target.value })}
              onBlur={() => {
                if (values.alarmName !== '') form.leave('alarmName');
              }}
            />
          )}
        </Field>
        <SourceField
          value={values.dataSource}
          onChange={(dataSource) => change({ dataSource })}
          error={errorOf('dataSource')}
        />
      </div>
      <TargetField
        value={values.targets}
        onChange={(targets) => change({ targets })}
        error={errorOf('targets')}
        hint={useTargetsHint(form)}
      />
      <div className={css.pair}>
        <Segments
          label={t('rule.form.trigger')}
          required
          value={trigger}
          options={([0, 1] as const).map((value) => ({ value, label: t(`rule.form.triggers.${value}`) }))}
          onChange={(next) => change({ trigger: next })}
          error={errorOf('trigger')}
        />
        <Segments
          label={t('rule.form.level')}
          required
          value={values.level}
          options={levels.map((value) => {
            const Icon = levelIcons[value];
            return { value, label: t(`home.level.${value}`), icon: <Icon />, level: value };
          })}
          onChange={(level) => change({ level })}
          error={errorOf('level')}
        />
      </div>
      <Segments
        label={t('rule.form.release')}
        required
        value={values.manualRelease}
        options={([1, 0] as const).map((value) => ({ value, label: t(`rule.form.releases.${value}`) }))}
        onChange={(manualRelease) => change({ manualRelease })}
        hint={t('rule.form.releaseHint')}
        error={errorOf('manualRelease')}
      />
      <ConditionFrame legend={t('rule.form.when')} error={errorOf('conditions')}>
        {trigger === 1 ? null : (
          <>
            {targetCount(values.targets) === 0 ? <p className={css.hint}>{t('rule.form.pickDevice')}</p> : null}
            {model.isError && !model.data ? (
              <ErrorNote
                title={t('rule.form.attributesFailed')}
                text={errorText(model.error)}
                onRetry={() => void model.refetch()}
                busy={model.isFetching}
              />
            ) : null}
            {properties?.size === 0 ? <p className={css.hint}>{t('rule.form.noAttributes')}</p> : null}
            <Conditions
              conditions={values.conditions}
              properties={properties}
              deviceCount={model.data?.deviceCount ?? 0}
              // Choosing an attribute also chooses the trigger "readings".
              onChange={(conditions) => change({ conditions, trigger: 0 })}
              wrong={form.showsAllProblems ? findings.conditions : noProblems}
            />
          </>
        )}
        <HoldRow trigger={trigger} hitCounts={values.hitCounts} durations={values.durations} onChange={change} />
      </ConditionFrame>
      <PeriodField value={values} onChange={change} error={errorOf('period')} weekdaysError={errorOf('weekdays')} />
      <div className={css.pair}>
        <ChannelField
          value={values.channels}
          onChange={(channels) => change({ channels })}
          error={errorOf('channels')}
        />
        <RemindField
          value={values.remindEvery}
          onChange={(remindEvery) => change({ remindEvery })}
          error={errorOf('remind')}
        />
      </div>
      <div>
        <Field
          label={t('rule.form.description')}
          error={errorOf('description')}
          // The character count appears only when the limit comes near.
          hint={
            length > descriptionLimit / 2
              ? t('device.form.characters', { n: length, most: descriptionLimit })
              : undefined
          }
        >
          {(labels) => (
            <Input.TextArea
              {...labels}
              autoSize={{ minRows: 1, maxRows: 5 }}
              value={values.description}
              onChange={({ target }) => change({ description: target.value })}
              onBlur={() => form.leave('description')}
            />
          )}
        </Field>
      </div>
    </>
  );
}
