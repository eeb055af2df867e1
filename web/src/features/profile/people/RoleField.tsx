import { useTranslation } from 'react-i18next';
import { type Role, roles } from '@/lib/session/useMay';
import { Field } from '@/ui/form/Field';
import { Select } from '@/ui/Select';
import css from './fields.module.css';

interface RoleFieldProps {
  role: Role;
  error?: string;
  onChange: (role: Role) => void;
}

/** A role, with what it may do. */
export function RoleField({ role, error, onChange }: RoleFieldProps) {
  const { t } = useTranslation();
  return (
    <Field label={t('role.title')} error={error} hint={t(`role.may.${role}`)}>
      {({ status: _, ...labels }) => (
        <Select
          {...labels}
          className={css.select}
          value={role}
          onChange={({ target }) => onChange(roles.find((known) => known === target.value) ?? role)}
        >
          {roles.map((known) => (
            <option key={known} value={known}>
              {t(`role.${known}`)}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}
