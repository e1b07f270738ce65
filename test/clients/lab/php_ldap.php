<?php
// The journey of php-ldap, OpenLDAP's library from PHP.
declare(strict_types=1);

error_reporting(E_ALL & ~E_WARNING & ~E_DEPRECATED);

require __DIR__ . '/php_ldap_base.php';

well(ldap_add($admin, $space, ['objectClass' => 'organizationalUnit', 'ou' => 'php-ldap']));

step('root DSE', null, function () use ($suffix, $slapd) {
    global $admin, $offered;
    $root = values_of('', ['*', '+']);
    same($root['namingContexts'], [$suffix], 'namingContexts');
    $secure = secure();
    $over = ldap_get_attributes($secure, ldap_first_entry($secure, well(ldap_read($secure, '', '(objectClass=*)', ['supportedSASLMechanisms']), $secure)));
    $names = ['supportedControl', 'supportedExtension', 'supportedFeatures', 'supportedSASLMechanisms'];
    $values = array_merge($over['supportedSASLMechanisms'] ?? [], ...array_map(fn ($name) => $root[$name] ?? [], $names));
    $offered = array_fill_keys(array_map(strval(...), $values), true);
    if ($slapd) {
        unset($offered['PLAIN'], $offered['SCRAM-SHA-1'], $offered['SCRAM-SHA-256']);
    }
});

step('bind: right, wrong, unknown, no password, none', null, function () use ($person, $personPassword, $lab) {
    connected($person, $personPassword);
    $link = plain();
    refused(49, ldap_bind($link, $person, 'wrong'), $link);
    $said = told($link);
    refused(49, ldap_bind($link, "uid=nobody,$lab", 'wrong'), $link);
    same(told($link), $said, 'what is said of an unknown person');
    refused(53, ldap_bind($link, $person, ''), $link);
    well(ldap_bind($link), $link);
    well(ldap_bind($link, $person, $personPassword), $link);
    same(ldap_exop_whoami($link), "dn:$person", 'who am I after binding again');
});

step('filters: umlauts, escapes, substrings, ranges, presence, not, extensible', null, function () use ($suffix, $person, $row) {
    foreach (['(cn=Jürgen Müller)', '(cn=jürgen  müller)', '(sn=M*ll*r)', '(sn:caseExactMatch:=Müller)', '(sn~=Müller)'] as $text) {
        same(found("(&(uid=jmueller)$text)", "ou=people,$suffix"), [$person], $text);
    }
    $odd = ldap_escape('Stars * and (brackets) and \\ backslash', '', LDAP_ESCAPE_FILTER);
    same(found("(description=$odd)", "ou=people,$suffix"), [$person], 'the escaped filter');
    $counts = ['(uidNumber>=60021)' => 5, '(uidNumber<=60003)' => 3, '(&(uid=lab*)(!(uid=lab1*)))' => 15, '(ou:dn:=row)' => 26, '(!(noSuchType=x))' => 0];
    foreach ($counts as $filter => $count) {
        same(count(found($filter, $row)), $count, $filter);
    }
});

step('attributes: selected, none, all, operational, types only', null, function () use ($person, $slapd) {
    global $admin;
    same(array_keys(values_of($person, ['SN', 'mail'])), ['mail', 'sn'], 'selected');
    same(values_of($person, ['1.1']), [], '1.1');
    same(array_keys(values_of($person, ['@person'])), [...['cn', 'description', 'objectClass', 'sn'], ...($slapd ? ['userPassword'] : [])], '@person');
    $operational = values_of($person, ['+']);
    holds(isset($operational['entryUUID'], $operational['createTimestamp'], $operational['modifiersName']) && !isset($operational['cn']), '+');
    $types = ldap_get_attributes($admin, ldap_first_entry($admin, well(ldap_read($admin, $person, '(objectClass=*)', ['sn'], 1))));
    same($types['sn']['count'] ?? 0, 0, 'values where only types were asked for');
});

step('binary values', null, function () use ($person) {
    global $admin;
    $picture = "\xff\xd8\xff" . implode('', array_map(chr(...), range(0, 255)));
    $entry = ldap_first_entry($admin, well(ldap_read($admin, $person, '(objectClass=*)', ['jpegPhoto'])));
    same(base64_encode(ldap_get_values_len($admin, $entry, 'jpegPhoto')[0]), base64_encode($picture), 'the picture');
    $dn = person('large', null, ['jpegPhoto' => str_repeat($picture, 1200)]);
    same(md5(values_of($dn, ['jpegPhoto'])['jpegPhoto'][0]), md5(str_repeat($picture, 1200)), '300 kB');
});

step('add, modify, rename, move, delete', null, function () use ($space) {
    global $admin;
    [$inner, $outer] = ["ou=inner,$space", "ou=outer,$space"];
    well(ldap_add($admin, $inner, ['objectClass' => 'organizationalUnit', 'ou' => 'inner']));
    $alice = person('alice', $inner, ['mail' => ['a@example.com', 'b@example.com']]);
    well(ldap_modify_batch($admin, $alice, [
        ['attrib' => 'mail', 'modtype' => LDAP_MODIFY_BATCH_REMOVE, 'values' => ['a@example.com']],
        ['attrib' => 'mail', 'modtype' => LDAP_MODIFY_BATCH_ADD, 'values' => ['c@example.com']],
        ['attrib' => 'title', 'modtype' => LDAP_MODIFY_BATCH_REPLACE, 'values' => ['Dr.', 'Prof.']],
    ]));
    well(ldap_mod_replace($admin, $alice, ['cn' => 'Älice']));
    well(ldap_mod_add($admin, $alice, ['givenName' => 'Alice']));
    well(ldap_mod_del($admin, $alice, ['givenName' => []]));
    $wanted = ['cn' => ['Älice'], 'mail' => ['b@example.com', 'c@example.com'], 'title' => ['Dr.', 'Prof.']];
    same(values_of($alice, ['cn', 'mail', 'title', 'givenName']), $wanted, 'alice');
    well(ldap_rename($admin, $inner, 'ou=outer', '', false));
    same(found('(&(ou=inner)(ou=outer))', $space), [$outer], 'the old value stays');
    well(ldap_rename($admin, "uid=alice,$outer", 'uid=Alicia', $space, true));
    same(found('(uid=alicia)', $space), ["uid=Alicia,$space"], 'where it is');
    well(ldap_delete($admin, "uid=alicia,$space"));
    $odd = 'cn=' . ldap_escape('Ada, "Countess" + Lovelace; <x>=y', '', LDAP_ESCAPE_DN) . ",$space";
    well(ldap_add($admin, $odd, ['objectClass' => 'person', 'cn' => 'Ada, "Countess" + Lovelace; <x>=y', 'sn' => 'Lovelace']));
    same(ldap_explode_dn(found('(sn=lovelace)', $space)[0], 1)['count'], 5, 'parts of the odd name');
});

step('compare', null, function () use ($person) {
    global $admin;
    same(ldap_compare($admin, $person, 'sn', 'MÜLLER'), true, 'compare by rule');
    same(ldap_compare($admin, $person, 'sn', 'Miller'), false, 'compare');
    same([ldap_compare($admin, $person, 'title', 'x'), ldap_errno($admin)], [-1, 16], 'compare with what is not there');
});

step('errors: codes and matchedDN as the library reports them', null, function () use ($lab, $space, $row, $suffix, $person, $personPassword, $slapd) {
    global $admin;
    refused(32, ldap_search($admin, "cn=x,ou=nowhere,$lab", '(objectClass=*)'));
    ldap_get_option($admin, LDAP_OPT_MATCHED_DN, $matched);
    same($matched, $lab, 'matchedDN');
    $bob = person('bob', null, ['employeeNumber' => '1']);
    person('ben');
    $new = ['objectClass' => 'inetOrgPerson', 'uid' => 'new', 'cn' => 'New'];
    refused(68, ldap_add($admin, $bob, ['objectClass' => 'inetOrgPerson', 'uid' => 'bob', 'cn' => 'B', 'sn' => 'B']));
    refused(65, ldap_add($admin, "uid=new,$space", $new));
    refused(17, ldap_mod_add($admin, $bob, ['favouriteColour' => 'teal']));
    refused(21, ldap_mod_add($admin, $bob, ['manager' => 'no name']));
    refused(20, ldap_mod_add($admin, $bob, ['cn' => 'SOMEBODY']));
    refused(16, ldap_mod_del($admin, $bob, ['title' => []]));
    refused(19, ldap_mod_replace($admin, $bob, ['employeeNumber' => ['1', '2']]));
    refused($slapd ? 64 : 67, ldap_mod_del($admin, $bob, ['uid' => 'bob']));
    refused(69, ldap_mod_replace($admin, $bob, ['objectClass' => 'organizationalUnit']));
    refused(66, ldap_delete($admin, $space));
    refused(34, ldap_delete($admin, 'not a name'));
    refused(68, ldap_rename($admin, $bob, 'uid=ben', '', true));
    $other = connected($person, $personPassword);
    refused(50, ldap_delete($other, "cn=all-staff,ou=groups,$suffix"), $other);
    refused(12, ldap_search($admin, $row, '(uid=*)', [], 0, -1, -1, LDAP_DEREF_NEVER, [['oid' => '1.2.3.4', 'iscritical' => true]]));
    $limited = ldap_search($admin, $row, '(uid=lab*)', [], 0, 7);
    same([ldap_errno($admin), ldap_count_entries($admin, $limited)], [4, 7], 'the size limit and what came');
});

step('paged results', LDAP_CONTROL_PAGEDRESULTS, function () use ($row) {
    global $admin;
    [$cookie, $sizes] = ['', []];
    do {
        $page = [['oid' => LDAP_CONTROL_PAGEDRESULTS, 'iscritical' => true, 'value' => ['size' => 10, 'cookie' => $cookie]]];
        $result = well(ldap_search($admin, $row, '(uid=lab*)', ['uid'], 0, -1, -1, LDAP_DEREF_NEVER, $page));
        ldap_parse_result($admin, $result, $code, $matched, $text, $references, $controls);
        $sizes[] = ldap_count_entries($admin, $result);
        $cookie = $controls[LDAP_CONTROL_PAGEDRESULTS]['value']['cookie'] ?? '';
    } while ($cookie !== '');
    same($sizes, [10, 10, 5], 'the pages');
});

/** The values of sn in the order of the answer, and its controls. */
function sorted(string $row, array $more = [], string $attribute = 'sn', ?string $rule = '2.5.13.3', bool $reverse = false): array
{
    global $admin;
    $key = ['attr' => $attribute, 'reverse' => $reverse] + ($rule === null ? [] : ['oid' => $rule]);
    $controls = [['oid' => LDAP_CONTROL_SORTREQUEST, 'iscritical' => true, 'value' => [$key]], ...$more];
    $result = well(ldap_search($admin, $row, '(uid=lab*)', ['sn'], 0, -1, -1, LDAP_DEREF_NEVER, $controls));
    ldap_parse_result($admin, $result, $code, $matched, $text, $references, $answers);
    $entries = ldap_get_entries($admin, $result);
    unset($entries['count']);
    return [array_map(fn ($entry) => $entry['sn'][0], $entries), $answers];
}

$names = array_map(fn ($number) => sprintf('Reihe %02d', $number), range(1, 25));

step('server-side sorting', LDAP_CONTROL_SORTREQUEST, function () use ($row, $names) {
    [$found, $answers] = sorted($row);
    same($found, $names, 'sorted by sn');
    same($answers[LDAP_CONTROL_SORTRESPONSE]['value']['errcode'], 0, 'the sort result');
    same(sorted($row, [], 'uidNumber', null, true)[0], $names, 'the largest number first');
});

step('virtual list view', LDAP_CONTROL_VLVREQUEST, function () use ($row, $names) {
    $view = ['before' => 1, 'after' => 2, 'offset' => 10, 'count' => 0];
    [$found, $answers] = sorted($row, [['oid' => LDAP_CONTROL_VLVREQUEST, 'iscritical' => true, 'value' => $view]]);
    same($found, array_slice($names, 8, 4), 'the view');
    $answer = $answers[LDAP_CONTROL_VLVRESPONSE]['value'];
    same([$answer['target'], $answer['count'], $answer['errcode']], [10, 25, 0], 'its place');
});

step('assertion', LDAP_CONTROL_ASSERT, function () {
    global $admin;
    $dn = person('asserted');
    $change = fn ($filter) => ldap_mod_replace($admin, $dn, ['title' => 'x'], [['oid' => LDAP_CONTROL_ASSERT, 'iscritical' => true, 'value' => ['filter' => $filter]]]);
    refused(122, $change('(cn=nobody)'));
    well($change('(cn=somebody)'));
});

step('pre-read and post-read', LDAP_CONTROL_PRE_READ, function () {
    global $admin;
    $dn = person('readback', null, ['title' => 'old']);
    $controls = array_map(fn ($oid) => ['oid' => $oid, 'iscritical' => true, 'value' => ['attrs' => ['title']]], [LDAP_CONTROL_PRE_READ, LDAP_CONTROL_POST_READ]);
    $result = well(ldap_mod_replace_ext($admin, $dn, ['title' => 'new'], $controls));
    ldap_parse_result($admin, $result, $code, $matched, $text, $references, $answers);
    $read = array_map(fn ($oid) => $answers[$oid]['value']['title'][0], [LDAP_CONTROL_PRE_READ, LDAP_CONTROL_POST_READ]);
    same([$code, ...$read], [0, 'old', 'new'], 'before and after');
});

step('matched values', LDAP_CONTROL_VALUESRETURNFILTER, function () {
    global $admin;
    $dn = person('many', null, ['mail' => ['a@one.example', 'b@two.example']]);
    $control = [['oid' => LDAP_CONTROL_VALUESRETURNFILTER, 'iscritical' => true, 'value' => ['filter' => '((mail=*@two.example))']]];
    $result = well(ldap_search($admin, $dn, '(objectClass=*)', ['mail'], 0, -1, -1, LDAP_DEREF_NEVER, $control));
    same(ldap_get_entries($admin, $result)[0]['mail'][0] ?? null, 'b@two.example', 'the value that matched');
});

step('proxied authorization', LDAP_CONTROL_PROXY_AUTHZ, function () use ($suffix, $person) {
    global $admin;
    refused(50, ldap_delete($admin, "cn=all-staff,ou=groups,$suffix", [['oid' => LDAP_CONTROL_PROXY_AUTHZ, 'iscritical' => true, 'value' => "dn:$person"]]));
});

step('password modify', LDAP_EXOP_MODIFY_PASSWD, function () {
    global $admin;
    $dn = person('carol', null, ['userPassword' => 'First-secret-1']);
    $made = ldap_exop_passwd($admin, $dn);
    holds(is_string($made) && $made !== '', 'no password was made: ' . told($admin));
    $carol = connected($dn, $made);
    refused(53, ldap_exop_passwd($carol, $dn, 'wrong', 'Second-secret-2'), $carol);
    well(ldap_exop_passwd($carol, $dn, $made, 'Second-secret-2'), $carol);
    connected($dn, 'Second-secret-2');
});

step('StartTLS', LDAP_EXOP_START_TLS, function () use ($person, $personPassword) {
    $link = plain();
    well(ldap_start_tls($link), $link);
    same(ldap_exop_whoami(connected($person, $personPassword, $link)), "dn:$person", 'who am I');
});

// What libldap trusts cannot be changed again from PHP, so that the step without the authority is left to the others.
step('ldaps with ca.pem', null, function () use ($person, $personPassword) {
    same(ldap_exop_whoami(connected($person, $personPassword, secure())), "dn:$person", 'who am I');
});

foreach (['PLAIN' => true, 'SCRAM-SHA-1' => false, 'SCRAM-SHA-256' => false] as $mechanism => $overTls) {
    step("SASL $mechanism" . ($overTls ? ' over TLS' : ''), $mechanism, function () use ($mechanism, $overTls, $person, $personPassword) {
        $link = $overTls ? secure() : plain();
        well(ldap_sasl_bind($link, '', $personPassword, $mechanism, '', 'jmueller'), $link);
        same(ldap_exop_whoami($link), "dn:$person", 'who am I');
        $wrong = $overTls ? secure() : plain();
        refused(49, ldap_sasl_bind($wrong, '', 'wrong', $mechanism, '', 'jmueller'), $wrong);
    });
}

step('SASL EXTERNAL over the Unix socket', null, function () {
    $link = open_to('ldapi://' . rawurlencode(getenv('LAB_SOCKET')));
    well(ldap_sasl_bind($link, '', '', 'EXTERNAL'), $link);
    holds(ldap_exop_whoami($link) !== '', 'who am I');
});

step('tree delete', '1.2.840.113556.1.4.805', function () use ($space) {
    global $admin;
    well(ldap_delete($admin, $space, [['oid' => '1.2.840.113556.1.4.805', 'iscritical' => true]]));
    refused(32, ldap_read($admin, $space, '(objectClass=*)'));
});

echo "end\n";
