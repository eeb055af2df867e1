import LockOutlined from '@ant-design/icons/LockOutlined';
import { Button, Input } from 'antd';
import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/form/Field';
import type { FieldState } from '@/ui/form/useForm';
import type { InfoError } from './rules';

interface MobileFieldProps {
  /** The bound number, empty if there is none. */
  number: string;
  /** Whether codes can be sent. */
  sms: boolean;
  field: FieldState<InfoError>;
  onPhone: () => void;
}

/** Shows the bound number and the button that binds or changes it. */
export function MobileField({ number, sms, field, onPhone }: MobileFieldProps) {
  const { t } = useTranslation();
  const why = sms ? t('profile.mobileHint') : `${t('channel.smsOff')}. ${t('profile.smsOffText')}`;
  return (
    <Field
      label={t('profile.mobile')}
      required={sms}
      error={field.error && t(field.error)}
      hint={why}
      after={
        <Button onClick={onPhone} disabled={!sms} ref={field.ref}>
          {number === '' ? t('profile.bind') : t('profile.update')}
        </Button>
      }
    >
      {({ 'aria-required': _, ...labels }) => (
        <Input
          {...labels}
          value={number}
          placeholder={t('profile.noMobile')}
          readOnly
          variant="filled"
          prefix={<LockOutlined aria-hidden="true" />}
        />
      )}
    </Field>
  );
}
