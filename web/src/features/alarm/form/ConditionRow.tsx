import CloseOutlined from '@ant-design/icons/CloseOutlined';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { comparators, type Operator, operators, sideOf } from '@/lib/alarm/comparator';
import type { TslProperty } from '@/lib/device/types';
import { useFormat } from '@/lib/format/format';
import { IconButton } from '@/ui/IconButton';
import { Select } from '@/ui/Select';
import type { Attribute, Attributes } from './attributes';
import css from './Conditions.module.css';
import type { ConditionPart, ConditionProblem } from './rules';
import { NumberInput, ValueInput } from './ValueInput';
import { type ConditionValues, mayRecover } from './values';

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

function operatorText(operator: Operator, t: TFunction): string {
  const { words, symbol } = comparators[operator];
  return words === 'symbol' ? symbol : t('rule.form.signed', { words: t(`rule.operator.${words}`), sign: symbol });
}

function clearsAtText(operator: Operator, t: TFunction): string {
  const { words } = comparators[operator];
  // Those that have no side have no recovery value.
  return words === 'equal' || words === 'notEqual' ? '' : t(`rule.form.clearsAt.${words}`);
}

/**
 * Attribute, comparison and value of a condition. The chosen attribute determines the comparisons
 * and values on offer.
 */
export function ConditionRow({ n, condition, properties, deviceCount, wrong, onChange }: ConditionRowProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const { sign, operator } = condition;
  const property = properties?.get(sign);
  const fits = (each: Operator, dataType: TslProperty['dataType'] = 'number') =>
    dataType === 'number' || comparators[each].other !== undefined;
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
      operator: fits(operator, chosen?.dataType ?? 'text') ? operator : '=',
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
        {operators
          .filter((each) => fits(each, property?.dataType))
          .map((each) => (
            <option key={each} value={each}>
              {operatorText(each, t)}
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
      {condition.recovery !== null && mayRecover(condition, property) ? (
        <div className={css.recovery}>
          <span className={css.recoveryWords}>{clearsAtText(operator, t)}</span>
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
