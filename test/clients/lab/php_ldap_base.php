<?php
// What the steps of php_ldap.php rest on: where the directory is, how a step is told (journey.ts reads it), and a few ways to ask.
declare(strict_types=1);

$slapd = getenv('LAB_SERVER') === 'slapd';
$suffix = getenv('LAB_SUFFIX');
$lab = "ou=lab,$suffix";
$row = "ou=row,$lab";
$space = "ou=php-ldap,$lab";
$person = getenv('LAB_PERSON');
$personPassword = getenv('LAB_PERSON_PASSWORD');
$administrator = getenv('LAB_ADMIN');
$offered = [];

function same($got, $wanted, string $what): void
{
    if ($got !== $wanted) {
        throw new Exception("$what is " . json_encode($got, JSON_UNESCAPED_UNICODE) . ', not ' . json_encode($wanted, JSON_UNESCAPED_UNICODE));
    }
}

function holds($truth, string $what): void
{
    if (!$truth) {
        throw new Exception($what);
    }
}

/** Runs a step at once; the needed OID or mechanism must stand in the root DSE. */
function step(string $name, ?string $needs, callable $body): void
{
    global $offered;
    if ($needs !== null && !isset($offered[$needs])) {
        echo "--\t$name\t$needs\n";
        return;
    }
    try {
        $body();
        echo "ok\t$name\n";
    } catch (Throwable $error) {
        $lines = array_filter(array_column($error->getTrace(), 'line'));
        echo "no\t$name\t" . preg_replace('/\s+/', ' ', $error->getMessage()) . ' (lines ' . implode(', ', $lines) . ")\n";
    }
}

ldap_set_option(null, LDAP_OPT_X_TLS_CACERTFILE, getenv('LAB_CA'));
ldap_set_option(null, LDAP_OPT_X_TLS_REQUIRE_CERT, LDAP_OPT_X_TLS_DEMAND);

function open_to(string $url): LDAP\Connection
{
    $link = ldap_connect($url);
    ldap_set_option($link, LDAP_OPT_PROTOCOL_VERSION, 3);
    ldap_set_option($link, LDAP_OPT_REFERRALS, 0);
    ldap_set_option($link, LDAP_OPT_NETWORK_TIMEOUT, 20);
    return $link;
}

function plain(): LDAP\Connection
{
    return open_to('ldap://' . getenv('LAB_HOST') . ':' . getenv('LAB_PORT'));
}

function secure(): LDAP\Connection
{
    return open_to('ldaps://' . getenv('LAB_HOST') . ':' . getenv('LAB_TLS_PORT'));
}

function told(LDAP\Connection $link): string
{
    ldap_get_option($link, LDAP_OPT_DIAGNOSTIC_MESSAGE, $text);
    return (string) $text;
}

function well($done, ?LDAP\Connection $link = null)
{
    global $admin;
    $link ??= $admin;
    if ($done === false) {
        throw new Exception(ldap_errno($link) . ' ' . ldap_error($link) . ': ' . told($link));
    }
    return $done;
}

function refused(int $code, $done, ?LDAP\Connection $link = null): void
{
    global $admin;
    $link ??= $admin;
    same($done === false ? ldap_errno($link) : 0, $code, 'the result code (' . told($link) . ')');
}

function connected(string $dn, string $password, ?LDAP\Connection $link = null): LDAP\Connection
{
    $link ??= plain();
    well(ldap_bind($link, $dn, $password), $link);
    return $link;
}

$admin = connected($administrator, getenv('LAB_ADMIN_PASSWORD'));

function found(string $filter, string $base, array $controls = []): array
{
    global $admin;
    $result = well(ldap_search($admin, $base, $filter, ['1.1'], 0, -1, -1, LDAP_DEREF_NEVER, $controls));
    $names = [];
    for ($entry = ldap_first_entry($admin, $result); $entry; $entry = ldap_next_entry($admin, $entry)) {
        $names[] = ldap_get_dn($admin, $entry);
    }
    sort($names);
    return $names;
}

/** The attributes of an entry, each with its values. */
function values_of(string $dn, array $names = []): array
{
    global $admin;
    $result = well(ldap_read($admin, $dn, '(objectClass=*)', $names));
    $attributes = [];
    foreach (ldap_get_attributes($admin, ldap_first_entry($admin, $result)) as $name => $values) {
        if (is_string($name) && is_array($values)) {
            unset($values['count']);
            $attributes[$name] = $values;
        }
    }
    ksort($attributes);
    return $attributes;
}

function person(string $uid, ?string $parent = null, array $more = []): string
{
    global $admin, $space;
    $dn = "uid=$uid," . ($parent ?? $space);
    well(ldap_add($admin, $dn, ['objectClass' => 'inetOrgPerson', 'uid' => $uid, 'cn' => 'Somebody', 'sn' => 'S'] + $more));
    return $dn;
}
