import AppstoreOutlined from '@ant-design/icons/AppstoreOutlined';
import DeploymentUnitOutlined from '@ant-design/icons/DeploymentUnitOutlined';
import HddOutlined from '@ant-design/icons/HddOutlined';
import PlusOutlined from '@ant-design/icons/PlusOutlined';
import { Select } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { maxTargets, noTargets, type Targets } from '@/lib/alarm/targets';
import { pageSize } from '@/lib/device/queries';
import { useFormat } from '@/lib/format/format';
import { errorText } from '@/lib/http/errorText';
import { Field } from '@/ui/form/Field';
import { tabLeavesField } from '@/ui/form/tabLeavesField';
import css from './fields.module.css';
import { allFoundValue, targetsOfValues, valuesOfTargets } from './targetOptions';
import { type TargetOption, useTargetOptions } from './useTargetOptions';

interface TargetFieldProps {
  value: Targets;
  onChange: (targets: Targets) => void;
  error: string | undefined;
  /** The hint below the field. */
  hint: string | undefined;
}

/** More tags would push the rest of the form out of sight. */
const maxTags = 12;

const icons = {
  scene: <AppstoreOutlined aria-hidden="true" />,
  model: <HddOutlined aria-hidden="true" />,
  device: <DeploymentUnitOutlined aria-hidden="true" />,
  [allFoundValue]: <PlusOutlined aria-hidden="true" />,
};
const iconOf = (value: unknown) => icons[String(value).split(':')[0] as keyof typeof icons];

/**
 * The devices, scenes and models that the rule watches. The field offers a hundred devices; the
 * server searches through the others.
 */
export function TargetField({ value, onChange, error, hint }: TargetFieldProps) {
  const { t } = useTranslation();
  const format = useFormat();
  const [text, setText] = useState('');
  const { options, names, found, missingName, total, devices, waiting } = useTargetOptions(value, text.trim());
  const [open, setOpen] = useState(false);
  const choose = (values: string[]) => {
    if (values.includes(allFoundValue)) {
      setText('');
      setOpen(false);
    }
    onChange(values.length === 0 ? noTargets : targetsOfValues(values, found));
  };
  return (
    <Field
      label={t('rule.form.device')}
      required
      error={error ?? (missingName === undefined ? undefined : t('rule.form.deviceGone', { name: missingName }))}
      hint={hint}
    >
      {({ status, ...tied }) => (
        <Select<string[], TargetOption>
          {...tied}
          status={status}
          mode="multiple"
          className={css.device}
          value={valuesOfTargets(value)}
          placeholder={t('rule.form.devicePlaceholder')}
          onChange={choose}
          // The search text stays, since a user who searches for "mast" often takes several of the
          // results.
          showSearch={{ filterOption: false, searchValue: text, onSearch: setText, autoClearSearchValue: false }}
          open={open}
          onInputKeyDown={tabLeavesField(() => setOpen(false))}
          onOpenChange={(next) => {
            setOpen(next);
            setText('');
          }}
          maxCount={maxTargets}
          maxTagCount={maxTags}
          maxTagPlaceholder={(left) => t('rule.form.targets.more', { n: format.number(left.length) })}
          loading={waiting || devices.isFetching}
          options={options}
          optionRender={({ data, value: each }) => (
            <span className={each === allFoundValue ? css.every : css.target}>
              {iconOf(each)}
              <span className={css.channelName}>{data.name}</span>
              {data.kind === undefined ? null : <span className={css.kind}>{data.kind}</span>}
            </span>
          )}
          labelRender={({ value: each }) => (
            <span className={css.target}>
              {iconOf(each)}
              <span className={css.channelName}>{names.get(String(each)) ?? String(each).replace(/^\w+:/, '')}</span>
            </span>
          )}
          notFoundContent={
            devices.isError ? (
              <span>{errorText(devices.error)}</span>
            ) : waiting || devices.isFetching ? (
              t('common.loading')
            ) : (
              t('home.search.noneTitle', { text: text.trim() })
            )
          }
          popupRender={(list) => (
            <>
              {list}
              {total > pageSize ? (
                <p className={css.more}>
                  {t('rule.form.moreDevices', { n: format.number(pageSize), all: format.number(total) })}
                </p>
              ) : null}
            </>
          )}
        />
      )}
    </Field>
  );
}
