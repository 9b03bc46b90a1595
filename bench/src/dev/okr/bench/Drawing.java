package dev.okr.bench;

final class Drawing { public static void main(String[] a) {} }
