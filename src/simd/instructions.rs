//! How levels write down their operations: a line each.

/// Methods of a token that are an expression of intrinsics each.
macro_rules! instructions {
    ($(fn $name:ident($($argument:ident: $type:ty),*) -> $result:ty = $expression:expr;)*) => {$(
        #[inline(always)]
        fn $name(self, $($argument: $type),*) -> $result {
            // SAFETY: the token proves that the CPU has these instructions, and they touch no memory.
            #[allow(unused_unsafe, reason = "WebAssembly's are safe")]
            unsafe { $expression }
        }
    )*};
}

/// Methods that do what the token within does, in each of some registers.
macro_rules! in_each {
    ($registers:tt: $(fn $name:ident$arguments:tt -> $result:ty;)*) => {$(
        $crate::simd::instructions::in_each!(@method $registers $name $arguments $result);
    )*};
    (@method [$($i:literal)*] $name:ident ($($argument:ident: $type:ty),*) $result:ty) => {
        $crate::simd::instructions::in_each!(@body [$($i)*] $name [$($argument: $type),*] [$($argument)*] $result);
    };
    (@body [$($i:literal)*] $name:ident [$($parameter:tt)*] $arguments:tt $result:ty) => {
        #[inline(always)]
        fn $name(self, $($parameter)*) -> $result {
            [$($crate::simd::instructions::in_each!(@register self $name $i $arguments)),*]
        }
    };
    (@register $self:ident $name:ident $i:literal [$($argument:ident)*]) => {
        $self.0.$name($($argument[$i]),*)
    };
}

pub(super) use {in_each, instructions};
