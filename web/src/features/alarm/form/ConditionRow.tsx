import CloseOutlined from '@ant-design/icons/CloseOutlined';
import { useTranslation } from 'react-i18next';
import { operatorNames, operatorSigns } from '@/lib/alarm/sentence';
import { sideOf } from '@/lib/alarm/threshold';
import { type Operator, operators } from '@/lib/alarm/types';
import type { TslProperty } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { IconButton } from '@/ui/IconButton';
import { Select } from '@/ui/Select';
import type { Attribute, Attributes } from './attributes';
import css from './Conditions.module.css';
import type { ConditionPart, ConditionProblem } from './rules';
import { NumberInput, ValueInput } from './ValueInput';
import { type ConditionValues, takesRecovery } from './values';

interface ConditionRowProps {
  /** The number that the user sees, from 1. */
  n: number;
  condition: ConditionValues;
  properties: Attributes | undefined;
  /** The number of devices; some of them may lack an attribute. */
  deviceCount: number;
  wrong: ConditionProblem | undefined;
  onChange: (part: Partial<ConditionValues>) => void;
}

export const titleOf = ({ yeuName, functionName, identifier }: TslProperty) => yeuName || functionName || identifier;

/**
 * Attribute, comparison and value of a condition. The chosen attribute determines the comparisons
 * and values on offer.
 */
export function ConditionRow({ n, condition, properties, deviceCount, wrong, onChange }: ConditionRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { sign, operator } = condition;
  const property = properties?.get(sign);
  const fitting = operators.filter((each) => property?.dataType === 'number' || !property || sideOf(each) === null);
  const labels = (part: ConditionPart, label: string) => ({
    'aria-label': label,
    ...(wrong?.part === part
      ? { 'aria-invalid': true as const, 'aria-describedby': `condition-${condition.key}-wrong` }
      : {}),
  });

  const offered = (each: Attribute) =>
    each.deviceCount === undefined || each.deviceCount === deviceCount
      ? titleOf(each)
      : t('rule.form.attributeOf', {
          name: titleOf(each),
          n: format.number(each.deviceCount),
          all: format.number(deviceCount),
        });

  const choose = (next: string) => {
    const chosen = properties?.get(next);
    const same = chosen?.dataType === property?.dataType;
    const sized = chosen?.dataType === 'number';
    onChange({
      sign: next,
      // An operator that the new attribute does not support becomes "="; a value of another type is
      // dropped.
      operator: !sized && sideOf(operator) !== null ? '=' : operator,
      value: same || (sized && !property) ? condition.value : chosen?.dataType === 'boolean' ? 'true' : '',
      recovery: sized && same ? condition.recovery : null,
    });
  };
  return (
    <>
      <Select
        {...labels('sign', t('rule.form.attribute', { n }))}
        className={css.attribute}
        value={sign}
        disabled={!properties}
        onChange={({ target }) => choose(target.value)}
      >
        <option value="" disabled>
          {t('rule.form.attributePlaceholder')}
        </option>
        {sign !== '' && !property ? <option value={sign}>{sign}</option> : null}
        {[...(properties?.values() ?? [])].map((each) => (
          <option key={each.identifier} value={each.identifier} disabled={each.refused && each.identifier !== sign}>
            {offered(each)}
          </option>
        ))}
      </Select>
      <Select
        {...labels('operator', t('rule.form.operator', { n }))}
        className={css.operator}
        value={operator}
        disabled={!properties}
        onChange={({ target }) => {
          const next = target.value as Operator;
          const kept = sideOf(next) === sideOf(operator);
          onChange({ operator: next, recovery: kept ? condition.recovery : null });
        }}
      >
        {fitting.map((each) => (
          <option key={each} value={each}>
            {t('rule.form.signed', { words: t(`rule.operator.${operatorNames[each]}`), sign: operatorSigns[each] })}
          </option>
        ))}
      </Select>
      <ValueInput
        {...labels('value', t('rule.form.value', { n }))}
        className={css.value}
        property={property}
        value={condition.value}
        onChange={(value) => onChange({ value })}
      />
      {condition.recovery !== null && takesRecovery(condition, property) ? (
        <div className={css.recovery}>
          <span className={css.recoveryWords}>
            {t(`rule.form.clearsAt.${operatorNames[operator] as 'above' | 'atLeast' | 'below' | 'atMost'}`)}
          </span>
          <NumberInput
            {...labels('recovery', t('rule.form.recovery', { n }))}
            className={css.value}
            unit={property?.elementUnit ?? ''}
            value={condition.recovery}
            onChange={(recovery) => onChange({ recovery })}
          />
          <IconButton
            className={css.remove}
            label={t('rule.form.removeRecovery')}
            icon={<CloseOutlined aria-hidden="true" />}
            onClick={() => onChange({ recovery: null })}
          />
        </div>
      ) : null}
    </>
  );
}
