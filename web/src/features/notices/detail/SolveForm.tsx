import CheckOutlined from '@ant-design/icons/CheckOutlined';
import { Input } from 'antd';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formErrorText } from '@/lib/http/errorText';
import { Field } from '@/ui/form/Field';
import { SendButton } from '@/ui/form/SendButton';
import { Note } from '@/ui/Note';
import type { AlarmDetail } from '../queries';
import css from './SolveForm.module.css';
import { useFreshReadings } from './useFreshReadings';
import { useSolve } from './useSolve';

/**
 * Ends an open notice whose conditions no longer hold, with one press: nobody misses anything by
 * that, so no dialog asks again.
 */
export function SolveForm({ detail }: { detail: AlarmDetail }) {
  const { t } = useTranslation();
  const [remark, setRemark] = useState('');
  const { solve, fault, submit } = useSolve(detail.alarmNotice.id, remark);
  useFreshReadings(detail, true);
  const refused = formErrorText(solve.error);
  return (
    <form
      className={css.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <p className={css.text}>
        {t(detail.alarmRules.triggerType === 1 ? 'inform.solve.backOnline' : 'inform.solve.backToNormal')}
      </p>
      <div className={css.line}>
        <Field label={t('inform.solve.remark')} error={fault}>
          {(labels) => (
            <Input.TextArea
              {...labels}
              autoSize={{ minRows: 1, maxRows: 8 }}
              value={remark}
              onChange={(event) => setRemark(event.target.value)}
            />
          )}
        </Field>
        <SendButton loading={solve.isPending} icon={<CheckOutlined aria-hidden="true" />}>
          {t('inform.solve.button')}
        </SendButton>
      </div>
      {refused ? <Note tone="wrong">{refused}</Note> : null}
    </form>
  );
}
